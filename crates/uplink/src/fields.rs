//! Reads a few fields of a JSON document. Everything else is skipped: it takes no memory and no recursion.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::error::{shown, Result, UplinkError};
use crate::limits::MOST_BODY_BYTES;

/// Digits of the largest number that a field may have.
const MOST_DIGITS: usize = 10;

/// Value at a path.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
enum Found {
    /// Nothing, or null.
    #[default]
    Nothing,
    Text(String),
    Number(u64),
    /// A value of another type, by its name.
    Other(&'static str),
}

/// The value at one path.
#[derive(Debug)]
pub struct Field {
    /// Names of the objects around it and its own, joined by dots.
    path: &'static str,
    found: Found,
}

impl Field {
    /// The text; None if there is none.
    pub fn text(self, allowed: &'static str) -> Result<Option<String>> {
        match self.found {
            Found::Nothing => Ok(None),
            Found::Text(text) => Ok(Some(text)),
            found => Err(UplinkError::field(self.path, &found.name(), allowed)),
        }
    }

    /// The number, also where it is written as text; None if there is none.
    pub fn number<T: TryFrom<u64>>(self, allowed: &'static str) -> Result<Option<T>> {
        let number = match &self.found {
            Found::Nothing => return Ok(None),
            Found::Number(number) => Some(*number),
            Found::Text(text) => decimal(text),
            Found::Other(_) => None,
        };
        let fitting = number.and_then(|number| T::try_from(number).ok());
        let refusal = || UplinkError::field(self.path, &self.found.name(), allowed);
        fitting.map(Some).ok_or_else(refusal)
    }
}

impl Found {
    fn name(&self) -> String {
        match self {
            Self::Nothing => "missing".to_owned(),
            Self::Text(text) => format!("\"{}\"", shown(text)),
            Self::Number(number) => number.to_string(),
            Self::Other(name) => (*name).to_owned(),
        }
    }
}

/// The number with these digits, without a sign and without leading zeros.
fn decimal(text: &str) -> Option<u64> {
    let is_plain = text.len() <= MOST_DIGITS && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_short = text == "0" || !text.starts_with('0');
    text.parse().ok().filter(|_| is_plain && is_short)
}

/// The fields at these paths.
///
/// # Errors
/// A body that is too long or not a JSON object. A field that occurs twice is refused when it is asked for.
pub fn read<const N: usize>(body: &[u8], paths: [&'static str; N]) -> Result<[Field; N]> {
    if body.len() > MOST_BODY_BYTES {
        return Err(UplinkError::Body(body.len()));
    }
    let mut fields = paths.map(|path| Field {
        path,
        found: Found::Nothing,
    });
    let mut reader = serde_json::Deserializer::from_slice(body);
    let object = Object {
        prefix: "",
        fields: &mut fields,
    };
    let read = object
        .deserialize(&mut reader)
        .and_then(|()| reader.end())
        .map_err(|error| UplinkError::Json(reason(&error)));
    read.map(|()| fields)
}

/// Why a body is not JSON, without repeating it.
fn reason(error: &serde_json::Error) -> String {
    match error.is_data() {
        true => "another type of value".to_owned(),
        false => error.to_string(),
    }
}

/// An object whose fields are wanted.
struct Object<'f> {
    /// Path of the object, with a dot behind it.
    prefix: &'static str,
    fields: &'f mut [Field],
}

impl Object<'_> {
    /// The wanted path that goes through this key or ends in it, up to and with the dot.
    fn path(&self, key: &str) -> Option<&'static str> {
        self.fields.iter().find_map(|field| {
            let rest = field.path.strip_prefix(self.prefix)?.strip_prefix(key)?;
            let is_whole = !key.contains('.') && (rest.is_empty() || rest.starts_with('.'));
            let dot = usize::from(!rest.is_empty());
            is_whole.then(|| &field.path[..field.path.len() - rest.len() + dot])
        })
    }
}

impl<'de> DeserializeSeed<'de> for Object<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> std::result::Result<(), D::Error> {
        // At the top, nothing but an object; below, another type means that its fields are missing.
        match self.prefix.is_empty() {
            true => reader.deserialize_map(self),
            false => reader.deserialize_any(self),
        }
    }
}

impl<'de> Visitor<'de> for Object<'_> {
    type Value = ();

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<(), A::Error> {
        while let Some(key) = map.next_key::<Cow<'de, str>>()? {
            match self.path(&key) {
                None => drop(map.next_value::<IgnoredAny>()?),
                Some(path) if path.ends_with('.') => map.next_value_seed(Object {
                    prefix: path,
                    fields: self.fields,
                })?,
                Some(path) => {
                    let found = map.next_value_seed(Leaf)?;
                    self.fields
                        .iter_mut()
                        .filter(|field| field.path == path)
                        .for_each(|field| field.set(found.clone()));
                }
            }
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, sequence: A) -> std::result::Result<(), A::Error> {
        skip(sequence)
    }

    fn visit_str<E>(self, _: &str) -> std::result::Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> std::result::Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> std::result::Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> std::result::Result<(), E> {
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> std::result::Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> std::result::Result<(), E> {
        Ok(())
    }
}

impl Field {
    /// Takes a value. A second one makes both unusable, because nobody knows which of them is meant.
    fn set(&mut self, found: Found) {
        self.found = match self.found {
            Found::Nothing => found,
            _ => Found::Other("stands twice"),
        };
    }
}

/// A value that is wanted.
struct Leaf;

impl<'de> DeserializeSeed<'de> for Leaf {
    type Value = Found;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> std::result::Result<Found, D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Leaf {
    type Value = Found;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a value")
    }

    fn visit_str<E>(self, text: &str) -> std::result::Result<Found, E> {
        Ok(Found::Text(text.to_owned()))
    }

    fn visit_u64<E>(self, number: u64) -> std::result::Result<Found, E> {
        Ok(Found::Number(number))
    }

    fn visit_i64<E>(self, _: i64) -> std::result::Result<Found, E> {
        Ok(Found::Other("a number below 0"))
    }

    fn visit_f64<E>(self, _: f64) -> std::result::Result<Found, E> {
        Ok(Found::Other("a number with a fraction, or too large"))
    }

    fn visit_bool<E>(self, _: bool) -> std::result::Result<Found, E> {
        Ok(Found::Other("true or false"))
    }

    fn visit_unit<E>(self) -> std::result::Result<Found, E> {
        Ok(Found::Nothing)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, sequence: A) -> std::result::Result<Found, A::Error> {
        skip(sequence).map(|()| Found::Other("an array"))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<Found, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Found::Other("an object"))
    }
}

fn skip<'de, A: SeqAccess<'de>>(mut sequence: A) -> std::result::Result<(), A::Error> {
    while sequence.next_element::<IgnoredAny>()?.is_some() {}
    Ok(())
}
