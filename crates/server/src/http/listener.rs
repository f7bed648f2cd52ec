//! Connections: so many at a time, each within its patience, ended when the server stops.

use std::sync::atomic::Ordering;
use std::sync::Arc;
use std::time::Duration;

use axum::{Extension, Router};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{watch, Semaphore};
use tokio_rustls::TlsAcceptor;

use crate::admit::access::Peer;
use crate::http::tls;
use crate::service::Service;

/// Bytes that a connection of HTTP/1 buffers, and the windows of HTTP/2.
const BUFFER_BYTES: usize = 32 << 10;
const STREAM_BYTES: u32 = 128 << 10;
/// Requests at the same time on one connection of HTTP/2.
const STREAMS: u32 = 16;
/// Time for requests to end when the server stops.
const LAST_SECONDS: Duration = Duration::from_secs(10);

/// Counts connections as long as they are open.
pub struct Connected(pub Arc<Service>);

impl Drop for Connected {
    fn drop(&mut self) {
        self.0.metrics.connections.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Connected {
    /// A connection from now on.
    pub fn new(service: Arc<Service>) -> Self {
        service.metrics.connections.fetch_add(1, Ordering::Relaxed);
        Self(service)
    }
}

/// All that serving needs.
pub struct Listener {
    /// Where connections come.
    pub listener: TcpListener,
    /// None for connections without TLS.
    pub tls: Option<TlsAcceptor>,
    /// The routes.
    pub router: Router,
    /// State of the server.
    pub service: Arc<Service>,
    /// Most connections at the same time.
    pub connections: usize,
}

impl Listener {
    /// Serves until `stop` turns true, and then until all requests have ended, or too much time has passed.
    pub async fn serve(self, mut stop: watch::Receiver<bool>) {
        let listener = Arc::new(self);
        let room = Arc::new(Semaphore::new(listener.connections));
        let graceful = GracefulShutdown::new();
        for connection in 0.. {
            let accepted = tokio::select! {
                accepted = listener.listener.accept() => accepted,
                _ = stop.wait_for(|stop| *stop) => break,
            };
            let (stream, address) = match accepted {
                Ok((stream, address)) => (stream, address.ip()),
                Err(error) => {
                    // Too few file descriptors, for one: those that are open must end first.
                    tracing::warn!("accept: {error}");
                    tokio::time::sleep(Duration::from_millis(100)).await;
                    continue;
                }
            };
            let Ok(permit) = room.clone().try_acquire_owned() else {
                listener
                    .service
                    .metrics
                    .connections_refused
                    .fetch_add(1, Ordering::Relaxed);
                continue;
            };
            let (listener, watcher) = (listener.clone(), graceful.watcher());
            let peer = Peer {
                connection,
                address,
                device: None,
            };
            tokio::spawn(async move {
                let _permit = permit;
                let _connected = Connected::new(listener.service.clone());
                listener.connection(stream, peer, watcher).await;
            });
        }
        let ended = tokio::time::timeout(LAST_SECONDS, graceful.shutdown()).await;
        if ended.is_err() {
            tracing::warn!("requests did not end in time");
        }
    }

    async fn connection(&self, stream: TcpStream, mut peer: Peer, watcher: Watcher) {
        // Without it, small answers wait for the acknowledgement of the ones before.
        let _ = stream.set_nodelay(true);
        let Some(tls) = &self.tls else {
            return self.requests(stream, peer, watcher).await;
        };
        let patience = self.service.limits.patience;
        match tokio::time::timeout(patience, tls.accept(stream)).await {
            Ok(Ok(stream)) => {
                peer.device = tls::device(stream.get_ref().1);
                self.requests(stream, peer, watcher).await;
            }
            Ok(Err(error)) => tracing::debug!("TLS: {error}"),
            Err(_) => tracing::debug!("TLS: the handshake came too slowly"),
        }
    }

    async fn requests(
        &self,
        stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
        peer: Peer,
        watcher: Watcher,
    ) {
        let router = self.router.clone().layer(Extension(peer));
        let mut builder = Builder::new(TokioExecutor::new());
        let patience = self.service.limits.patience;
        builder
            .http1()
            .timer(TokioTimer::new())
            .header_read_timeout(patience)
            .max_buf_size(BUFFER_BYTES);
        builder
            .http2()
            .timer(TokioTimer::new())
            .keep_alive_interval(patience)
            .keep_alive_timeout(patience)
            .max_concurrent_streams(STREAMS)
            .initial_stream_window_size(STREAM_BYTES)
            .initial_connection_window_size(STREAM_BYTES)
            .max_header_list_size(BUFFER_BYTES as u32);
        let connection =
            builder.serve_connection(TokioIo::new(stream), TowerToHyperService::new(router));
        let ended = watcher.watch(connection.into_owned()).await;
        if let Err(error) = ended {
            tracing::debug!("connection: {error}");
        }
    }
}
