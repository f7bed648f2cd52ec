//! Frames over MQTT, beside HTTP: `isopod/frames/...` to the server, `isopod/receipts/...` back once they are on disk.
//!
//! A broker's acknowledgement is not durability: a device keeps its frame until the receipt. Parts may come in messages of their
//! own. The server acknowledges a whole frame to the broker after the flush, and a part at once; parts that are lost by a restart
//! come again with the frame that has no receipt.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use isopod_store::AppendOutcome;
use isopod_wire::{Envelope, FrameId};
use rumqttc::{
    AsyncClient, Event, EventLoop, MqttOptions, Packet, Publish, QoS, TlsConfiguration, Transport,
};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::CertificateDer;
use serde_json::json;
use tokio::sync::{watch, Semaphore};

use crate::admit::access::{Caller, Role};
use crate::admit::admission::Admission;
use crate::admit::refusal::Refusal;
use crate::arguments::Arguments;
use crate::problem::Problem;
use crate::service::Service;

/// Messages on their way to disk.
const MOST_MESSAGES: usize = 256;
/// Answers that wait for the broker; each message has two.
const ANSWERS: usize = 16 * MOST_MESSAGES;
/// Bytes of parts that wait for others.
const PART_BYTES: usize = 64 << 20;
/// Time between two tries to connect, and between two looks for parts that wait for too long.
const RETRY: Duration = Duration::from_secs(1);
/// Bytes of a message beside its payload.
const MESSAGE_BYTES: usize = 1 << 16;

/// A broker to take frames from.
pub struct Link {
    options: MqttOptions,
    topic: String,
}

fn host_and_port(address: &str) -> Option<(&str, u16)> {
    let (host, port) = address.rsplit_once(':')?;
    Some((host, port.parse().ok()?))
}

/// A connection to a broker that the authority of this file vouches for.
fn tls(authority: &Path) -> Result<Transport> {
    let name = || format!("--mqtt-authority {}", authority.display());
    let mut roots = rustls::RootCertStore::empty();
    for root in CertificateDer::pem_file_iter(authority).with_context(name)? {
        roots.add(root.with_context(name)?)?;
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?;
    let config = config.with_root_certificates(roots).with_no_client_auth();
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
            options.set_transport(tls(path)?);
        }
        Ok(Some(Self { options, topic }))
    }

    /// Takes frames until `stop` turns true; connects again whenever the connection is lost.
    pub async fn run(mut self, service: Arc<Service>, mut stop: watch::Receiver<bool>) {
        let most = service.pairs.most_frame_bytes() + MESSAGE_BYTES;
        self.options.set_max_packet_size(most, MESSAGE_BYTES);
        let (client, events) = AsyncClient::new(self.options, ANSWERS);
        let parts = PART_BYTES.max(2 * service.pairs.most_frame_bytes());
        let subscription = Subscription {
            admission: Admission::new(service.pairs.clone(), parts),
            room: Arc::new(Semaphore::new(MOST_MESSAGES)),
            client,
            topic: self.topic,
            service,
        };
        tokio::select! {
            () = subscription.work(events) => {}
            _ = stop.wait_for(|stop| *stop) => {}
        }
    }
}

/// One subscription.
struct Subscription {
    admission: Admission,
    room: Arc<Semaphore>,
    client: AsyncClient,
    topic: String,
    service: Arc<Service>,
}

impl Subscription {
    async fn work(mut self, mut events: EventLoop) {
        let mut looked = Instant::now();
        loop {
            match events.poll().await {
                Ok(Event::Incoming(Packet::ConnAck(_))) => {
                    tracing::info!("MQTT: connected");
                    self.service.broker.connect();
                    let topic = format!("{}/frames/#", self.topic);
                    let asked = self.client.try_subscribe(topic, QoS::AtLeastOnce);
                    asked.unwrap_or_else(|error| tracing::warn!("MQTT: {error}"));
                }
                Ok(Event::Incoming(Packet::Publish(message))) => self.message(message).await,
                Ok(_) => {}
                Err(error) => {
                    tracing::warn!("MQTT: {error}");
                    self.service.broker.lose();
                    tokio::time::sleep(RETRY).await;
                }
            }
            if looked.elapsed() >= RETRY {
                looked = Instant::now();
                self.expire();
            }
        }
    }

    /// Refuses parts that wait for too long.
    fn expire(&mut self) {
        let before = self
            .service
            .clock
            .now()
            .saturating_sub(1000 * self.service.limits.part_seconds);
        for (refusal, bytes) in self.admission.expire(before) {
            self.service.set_aside(&refusal, &bytes);
        }
    }

    /// Takes the items of one message; whole frames are stored beside the next messages.
    async fn message(&mut self, message: Publish) {
        let Some(sender) = message
            .topic
            .strip_prefix(&format!("{}/frames/", self.topic))
        else {
            return;
        };
        let receipts = format!("{}/receipts/{sender}", self.topic);
        let (mut frames, mut refused) = (Vec::new(), Vec::new());
        let caller = Caller::Token(Role::Gateway, "mqtt".to_owned());
        let mut rest = &message.payload[..];
        loop {
            let (item, behind) = match Envelope::read(rest) {
                Ok((_, behind)) => (&rest[..rest.len() - behind.len()], behind),
                Err(error) => {
                    refused.push((Refusal::of(&error, None), rest));
                    break;
                }
            };
            match self.admission.take(item, &caller, self.service.clock.now()) {
                Ok(frame) => frames.extend(frame),
                Err(refusal) => refused.push((refusal, item)),
            }
            rest = behind;
            if rest.is_empty() {
                break;
            }
        }
        for (refusal, item) in refused {
            self.service.set_aside(&refusal, item);
            self.say(&receipts, &refusal);
        }
        // Without room, the broker waits: it has as many messages in flight as it may.
        let Ok(permit) = self.room.clone().acquire_owned().await else {
            return;
        };
        let (service, client) = (self.service.clone(), self.client.clone());
        tokio::spawn(async move {
            let _permit = permit;
            let names: Vec<FrameId> = frames.iter().map(|frame| frame.id).collect();
            if !names.is_empty() {
                let stored = service.store_all(frames).await;
                if !answer(&client, &receipts, &names, stored).await {
                    // It comes again with the next connection, or from its sender.
                    return;
                }
            }
            if let Err(error) = client.ack(&message).await {
                tracing::warn!("MQTT: {error}");
            }
        });
    }

    /// Tells the sender that an item was refused.
    fn say(&self, receipts: &str, refusal: &Refusal) {
        let Refusal {
            field,
            detail,
            frame,
        } = refusal;
        let said = json!({
            "fate": "refused", "field": field, "detail": detail,
            "device": frame.map(|id| id.device), "epoch": frame.map(|id| id.epoch), "sequence": frame.map(|id| id.sequence),
        });
        let said = self
            .client
            .try_publish(receipts, QoS::AtLeastOnce, false, said.to_string());
        said.unwrap_or_else(|error| tracing::warn!("MQTT: {error}"));
    }
}

/// Sends the receipts of frames; false if they could not be stored.
async fn answer(
    client: &AsyncClient,
    receipts: &str,
    names: &[FrameId],
    stored: Result<Vec<AppendOutcome>, Problem>,
) -> bool {
    let outcomes = match stored {
        Ok(outcomes) => outcomes,
        Err(problem) => {
            tracing::error!("MQTT: {}", problem.detail);
            return false;
        }
    };
    for (id, outcome) in names.iter().zip(outcomes) {
        let (outcome, detail) = match outcome {
            AppendOutcome::Stored(_) => ("stored", None),
            AppendOutcome::Known => ("known", None),
            AppendOutcome::Stale(detail) => ("refused", Some(detail)),
        };
        let mut receipt = json!({"fate": outcome, "device": id.device, "epoch": id.epoch, "sequence": id.sequence});
        if let Some(detail) = detail {
            receipt["detail"] = detail.into();
            receipt["field"] = "sequence".into();
        }
        if let Err(error) = client
            .publish(receipts, QoS::AtLeastOnce, false, receipt.to_string())
            .await
        {
            tracing::warn!("MQTT: {error}");
        }
    }
    true
}
