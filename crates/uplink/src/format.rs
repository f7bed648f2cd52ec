//! The formats of network servers.

use crate::error::Result;
use crate::uplink::Uplink;
use crate::{chirpstack, sigfox, things_stack};

/// A network server's way to deliver uplinks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// ChirpStack 4.
    ChirpStack,
    /// The Things Stack 3.
    ThingsStack,
    /// Sigfox.
    Sigfox,
}

impl Format {
    /// The uplink in a document; None in one of something else, and in one without a payload. `event` is the type that ChirpStack
    /// says beside the document.
    ///
    /// # Errors
    /// A document that is not of this format, or that holds what no packet can be.
    pub fn parse(self, event: Option<&str>, body: &[u8]) -> Result<Option<Uplink>> {
        match self {
            Self::ChirpStack => chirpstack::parse(event, body),
            Self::ThingsStack => things_stack::parse(body),
            Self::Sigfox => sigfox::parse(body),
        }
    }

    /// Topics of its uplinks over MQTT; None for a network without MQTT.
    pub fn topics(self) -> Option<&'static str> {
        match self {
            Self::ChirpStack => Some(chirpstack::TOPICS),
            Self::ThingsStack => Some(things_stack::TOPICS),
            Self::Sigfox => None,
        }
    }

    /// Whether a message on this topic is of [`Format::topics`].
    pub fn has_topic(self, topic: &str) -> bool {
        let Some(topics) = self.topics() else {
            return false;
        };
        let levels = |text: &str| text.split('/').count();
        let mut pairs = topics.split('/').zip(topic.split('/'));
        levels(topics) == levels(topic)
            && pairs.all(|(wanted, level)| wanted == "+" || wanted == level)
    }

    /// The field that names the sender.
    pub fn sender_field(self) -> &'static str {
        match self {
            Self::ChirpStack => chirpstack::PATHS.sender,
            Self::ThingsStack => things_stack::PATHS.sender,
            Self::Sigfox => sigfox::SENDER,
        }
    }
}
