//! Messages of one subscription: their items are admitted, stored and answered, and then acknowledged to the broker.
//!
//! Where frames cannot be stored, the link ends without an acknowledgement and begins anew after a pause that grows: the broker
//! sends again what it has no acknowledgement for. Otherwise its window would stay full of messages that nobody answers.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::Arc;
use std::time::{Duration, Instant};

use isopod_store::{AppendOutcome, NewFrame};
use isopod_uplink::Format;
use isopod_wire::{FrameId, KeyId, Outcome};
use rumqttc::{
    AsyncClient, ConnectionError, Event, EventLoop, MqttOptions, Packet, Publish, QoS, StateError,
};
use serde_json::json;
use tokio::sync::{watch, OwnedSemaphorePermit, Semaphore};

use crate::admit::access::{Caller, Role};
use crate::admit::admission::{Admission, MostBytes};
use crate::admit::refusal::Refusal;
use crate::admit::spill::Spill;
use crate::service::Service;
use crate::upload::message::{Message, MessageReader};
use crate::upload::receipt::outcome;
use crate::upload::submitted::Announced;
use crate::upload::uplink::{self, Brought, Document};

/// Messages on their way to disk.
pub const MOST_MESSAGES: usize = 256;
/// Bytes of parts that wait for others, and the part of them that one device may have.
const PART_BYTES: usize = 64 << 20;
const PART_OF_DEVICE: usize = 16;
/// Time between two tries to connect, and between two looks for parts that wait for too long.
const RETRY: Duration = Duration::from_secs(1);
/// The longest pause after frames that could not be stored.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// State that the tasks of messages share with the link.
struct Link {
    client: AsyncClient,
    topic: String,
    /// Network server whose uplinks come, too.
    uplinks: Option<Format>,
    /// Number of the connection.
    connection: AtomicU64,
    /// The number of the last connection on which frames could not be stored.
    failed: watch::Sender<u64>,
    /// Whether frames were stored since it was asked last.
    stored: AtomicBool,
}

/// One subscription.
pub struct Subscription {
    service: Arc<Service>,
    admission: Admission,
    /// Parts wait in memory; nothing comes here.
    spill: Spill,
    room: Arc<Semaphore>,
    link: Arc<Link>,
    pause: Duration,
}

impl Subscription {
    /// A subscription by this client.
    pub fn new(
        client: AsyncClient,
        topic: String,
        uplinks: Option<Format>,
        service: Arc<Service>,
    ) -> Self {
        let most = service.pairs.most_frame_bytes();
        let all = PART_BYTES.max(2 * most);
        let device = (all / PART_OF_DEVICE).max(2 * most);
        let link = Link {
            client,
            topic,
            uplinks,
            connection: AtomicU64::new(1),
            failed: watch::Sender::new(0),
            stored: AtomicBool::new(false),
        };
        Self {
            admission: Admission::new(service.pairs.clone(), MostBytes { all, device }),
            spill: service.room.spill(),
            room: Arc::new(Semaphore::new(MOST_MESSAGES)),
            link: Arc::new(link),
            pause: RETRY,
            service,
        }
    }

    /// Takes messages for ever.
    pub async fn work(mut self, mut events: EventLoop) {
        let mut looked = Instant::now();
        let mut failed = self.link.failed.subscribe();
        loop {
            let connection = self.link.connection();
            tokio::select! {
                event = events.poll() => self.handle(event, &mut events.mqtt_options).await,
                // The poll that this ends may be in the midst of something: the connection ends with it.
                () = fails(&mut failed, connection) => {
                    events.clean();
                    self.link.begin();
                    self.rest().await;
                }
            }
            if looked.elapsed() >= RETRY {
                looked = Instant::now();
                self.expire();
            }
        }
    }

    async fn handle(&mut self, event: Result<Event, ConnectionError>, options: &mut MqttOptions) {
        match event {
            Ok(Event::Incoming(Packet::ConnAck(_))) => {
                tracing::info!("MQTT: connected");
                self.service.broker.connect();
                self.link.begin();
                options.set_clean_session(false);
                self.link.subscribe();
            }
            Ok(Event::Incoming(Packet::Publish(message))) => self.message(message).await,
            Ok(_) => {}
            Err(error) => {
                tracing::warn!("MQTT: {error}");
                self.service.broker.lose();
                // The broker would bring it again and again: it forgets what it has, and devices send again.
                if let ConnectionError::MqttState(StateError::Deserialization(_)) = error {
                    options.set_clean_session(true);
                }
                tokio::time::sleep(RETRY).await;
            }
        }
    }

    /// Waits after frames that could not be stored, longer each time until some are.
    async fn rest(&mut self) {
        if self.link.stored.swap(false, Ordering::Relaxed) {
            self.pause = RETRY;
        }
        let seconds = self.pause.as_secs();
        tracing::warn!(
            "MQTT: frames could not be stored; the connection begins anew after {seconds} seconds"
        );
        tokio::time::sleep(self.pause).await;
        self.pause = (2 * self.pause).min(LONGEST_PAUSE);
    }

    /// Refuses parts that wait for too long.
    fn expire(&mut self) {
        let before = self
            .service
            .clock
            .now()
            .saturating_sub(1000 * self.service.limits.part_seconds);
        for (refusal, bytes) in self.admission.expire(before, &mut self.spill) {
            self.service.set_aside(&refusal, &bytes);
        }
    }

    /// Takes the items or the uplink of one message; whole frames are stored beside the next messages.
    async fn message(&mut self, message: Publish) {
        let uplinks = self.link.uplinks;
        if let Some(format) = uplinks.filter(|format| format.has_topic(&message.topic)) {
            let document = Document {
                format,
                event: Some("up"),
                body: &message.payload,
            };
            let admitted = match uplink::admit(&self.service, &caller(), document) {
                Brought::Message(admitted) => admitted,
                Brought::Nothing | Brought::Fragment => Message::default(),
            };
            return self.store(message, None, admitted).await;
        }
        let Some(sender) = message
            .topic
            .strip_prefix(&format!("{}/frames/", self.link.topic))
        else {
            return;
        };
        let sender = sender.to_owned();
        let admitted = self.admit(&message.payload);
        self.store(message, Some(sender), admitted).await;
    }

    /// Stores what a message brought, beside the next messages. A sender is told; devices of uplinks cannot be.
    async fn store(&mut self, message: Publish, sender: Option<String>, admitted: Message) {
        let Message {
            frames,
            announced,
            unavailable,
            refused,
            ..
        } = admitted;
        if let Some(problem) = unavailable {
            tracing::error!("MQTT: {}", problem.detail);
            self.link.failed.send_replace(self.link.connection());
            return;
        }
        for (refusal, item) in refused {
            self.service.set_aside(&refusal, &item);
            if let Some(sender) = &sender {
                self.link.refuse(sender, &refusal);
            }
        }
        // Without room, the broker waits: it has as many messages in flight as it may.
        let Ok(permit) = self.room.clone().acquire_owned().await else {
            return;
        };
        let storing = Storing {
            service: self.service.clone(),
            link: self.link.clone(),
            connection: self.link.connection(),
            sender,
            message,
            announced,
            _permit: permit,
        };
        tokio::spawn(storing.run(frames));
    }

    /// Takes the elements of a message.
    fn admit(&mut self, payload: &[u8]) -> Message {
        let mut reader = MessageReader {
            service: &self.service,
            admission: &mut self.admission,
            spill: &mut self.spill,
            caller: &caller(),
        };
        reader.read(payload)
    }
}

/// Whoever publishes at the broker: its access list says who may.
fn caller() -> Caller {
    Caller::Token(Role::Gateway, "mqtt".to_owned())
}

/// Waits until frames could not be stored that came by this connection.
async fn fails(failed: &mut watch::Receiver<u64>, connection: u64) {
    // The sender lives as long as the subscription.
    let _ = failed.wait_for(|number| *number == connection).await;
}

/// A message on its way to disk.
struct Storing {
    service: Arc<Service>,
    link: Arc<Link>,
    connection: u64,
    sender: Option<String>,
    message: Publish,
    announced: Vec<Announced>,
    _permit: OwnedSemaphorePermit,
}

impl Storing {
    /// Stores and answers; acknowledges on the connection by which the message came, as it comes again by every other.
    async fn run(self, frames: Vec<NewFrame>) {
        let names: Vec<(KeyId, FrameId)> = frames
            .iter()
            .map(|frame| (frame.key_id, frame.id))
            .collect();
        if !names.is_empty() || !self.announced.is_empty() {
            match self.service.store_all(frames).await {
                Ok(outcomes) => {
                    self.link.stored.store(true, Ordering::Relaxed);
                    if let Some(sender) = &self.sender {
                        let receipts = self.receipts(&names, &outcomes);
                        self.link.answer(sender, receipts).await;
                    }
                }
                Err(problem) => {
                    tracing::error!("MQTT: {}", problem.detail);
                    self.link.failed.send_replace(self.connection);
                    return;
                }
            }
        }
        if self.link.connection() == self.connection {
            if let Err(error) = self.link.client.ack(&self.message).await {
                tracing::warn!("MQTT: {error}");
            }
        }
    }

    fn receipts(&self, names: &[(KeyId, FrameId)], outcomes: &[AppendOutcome]) -> Vec<u8> {
        let pairs = &self.service.pairs;
        let contexts = self.announced.iter();
        let contexts = contexts.map(|at| (at.key_id, at.name, Outcome::Announced));
        let frames = names.iter().zip(outcomes);
        let frames = frames.map(|(&(key_id, id), of)| (key_id, id, outcome(of)));
        contexts
            .chain(frames)
            .flat_map(|(key_id, id, outcome)| pairs.receipt(&key_id, id, outcome))
            .collect()
    }
}

impl Link {
    fn connection(&self) -> u64 {
        self.connection.load(Ordering::Relaxed)
    }

    /// Counts a connection.
    fn begin(&self) {
        self.connection.fetch_add(1, Ordering::Relaxed);
    }

    /// Asks for frames, and for uplinks where they come from this broker.
    fn subscribe(&self) {
        let frames = format!("{}/frames/#", self.topic);
        let uplinks = self.uplinks.and_then(Format::topics).map(str::to_owned);
        for topic in std::iter::once(frames).chain(uplinks) {
            let asked = self.client.try_subscribe(topic, QoS::AtLeastOnce);
            asked.unwrap_or_else(|error| tracing::warn!("MQTT: {error}"));
        }
    }

    /// Says in words why an item was refused. They prove nothing: a device acts on receipts alone.
    fn refuse(&self, sender: &str, refusal: &Refusal) {
        let Refusal {
            field,
            detail,
            frame,
        } = refusal;
        let said = json!({
            "field": field, "detail": detail,
            "device": frame.map(|id| id.device), "epoch": frame.map(|id| id.epoch), "sequence": frame.map(|id| id.sequence),
        });
        let topic = format!("{}/refusals/{sender}", self.topic);
        let said = self
            .client
            .try_publish(topic, QoS::AtLeastOnce, false, said.to_string());
        said.unwrap_or_else(|error| tracing::warn!("MQTT: {error}"));
    }

    /// Sends the receipts of frames, one behind the other in one message.
    async fn answer(&self, sender: &str, receipts: Vec<u8>) {
        let topic = format!("{}/receipts/{sender}", self.topic);
        let said = self
            .client
            .publish(topic, QoS::AtLeastOnce, false, receipts);
        if let Err(error) = said.await {
            tracing::warn!("MQTT: {error}");
        }
    }
}
