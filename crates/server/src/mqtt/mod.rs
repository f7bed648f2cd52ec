//! Frames over MQTT, beside HTTP: `isopod/frames/...` to the server, `isopod/receipts/...` back once they are on disk.
//!
//! A broker's acknowledgement is not durability: a device keeps its frame until the receipt. Parts may come in messages of their
//! own. The server acknowledges a whole frame to the broker after the flush, and a part at once; parts that are lost by a restart
//! come again with the frame that has no receipt.

mod subscription;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use isopod_uplink::Format;
use rumqttc::{AsyncClient, MqttOptions, TlsConfiguration, Transport};
use tokio::sync::watch;

use crate::arguments::Arguments;
use crate::http::tls;
use crate::mqtt::subscription::{Subscription, MOST_MESSAGES};
use crate::service::Service;

/// Certificate and key by which the server connects to a broker.
const CERTIFICATE: [&str; 2] = ["mqtt.crt", "mqtt.key"];
/// Answers that wait for the broker; each message has two.
const ANSWERS: usize = 16 * MOST_MESSAGES;
/// Most bytes of a message; a larger frame may be as long as it is.
const MOST_MESSAGE_BYTES: usize = 4 << 20;
/// Bytes of a message beside its payload.
const MESSAGE_BYTES: usize = 1 << 16;

/// A broker to take frames from.
pub struct Link {
    options: MqttOptions,
    topic: String,
    uplinks: Option<Format>,
}

fn host_and_port(address: &str) -> Option<(&str, u16)> {
    let (host, port) = address.rsplit_once(':')?;
    Some((host, port.parse().ok()?))
}

/// A connection to a broker that the authority of this file vouches for. The certificate for brokers in the folder of keys shows
/// who the server is, if there is one.
fn broker_tls(authority: &Path, keys: &Path) -> Result<Transport> {
    let name = || format!("--mqtt-authority {}", authority.display());
    let roots = tls::roots(authority).with_context(name)?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots);
    let [certificate, key] = CERTIFICATE.map(|name| keys.join(name));
    let config = match certificate.exists() {
        true => config
            .with_client_auth_cert(tls::certificates(&certificate)?, tls::private_key(&key)?)
            .with_context(|| certificate.display().to_string())?,
        false => config.with_no_client_auth(),
    };
    let config = TlsConfiguration::Rustls(Arc::new(config));
    Ok(Transport::tls_with_config(config))
}

impl Link {
    /// The broker of the command line; None for none.
    ///
    /// # Errors
    /// An address, a login or an authority that cannot be used.
    pub fn of(arguments: &Arguments) -> Result<Option<Self>> {
        let Some(address) = &arguments.mqtt else {
            return Ok(None);
        };
        let (host, port) = host_and_port(address)
            .with_context(|| format!("--mqtt {address}: allowed is HOST:PORT"))?;
        let topic = arguments.mqtt_topic.clone();
        let plain = !topic.is_empty() && !topic.contains(['+', '#', '/']);
        anyhow::ensure!(
            plain,
            "--mqtt-topic {topic}: allowed is one level, without + and #"
        );
        // The name of the session, so that a server that comes back gets what waits for it.
        let mut options = MqttOptions::new(format!("isopod-server-{topic}"), host, port);
        options
            .set_clean_session(false)
            .set_manual_acks(true)
            .set_keep_alive(Duration::from_secs(15));
        if let Some(path) = &arguments.mqtt_login {
            let bytes = isopod_keys::read_private(path, 4096)?;
            let text = std::str::from_utf8(&bytes).context("--mqtt-login: not UTF-8")?;
            let mut lines = text.lines();
            let (user, password) = (lines.next().unwrap_or(""), lines.next().unwrap_or(""));
            options.set_credentials(user, password);
        }
        if let Some(path) = &arguments.mqtt_authority {
            let keys = arguments
                .keys
                .first()
                .map_or(Path::new(""), PathBuf::as_path);
            options.set_transport(broker_tls(path, keys)?);
        }
        Ok(Some(Self {
            options,
            topic,
            uplinks: arguments.uplinks.map(Format::from),
        }))
    }

    /// Takes frames until `stop` turns true; connects again whenever the connection is lost.
    pub async fn run(mut self, service: Arc<Service>, mut stop: watch::Receiver<bool>) {
        let most = MOST_MESSAGE_BYTES.max(service.pairs.most_frame_bytes() + MESSAGE_BYTES);
        self.options.set_max_packet_size(most, MESSAGE_BYTES);
        let (client, mut events) = AsyncClient::new(self.options, ANSWERS);
        // Without it, small answers wait for the acknowledgement of the ones before.
        events.network_options.set_tcp_nodelay(true);
        let subscription = Subscription::new(client, self.topic, self.uplinks, service);
        tokio::select! {
            () = subscription.work(events) => {}
            _ = stop.wait_for(|stop| *stop) => {}
        }
    }
}
