//! Fields of an authenticated item: enough to find its end and its tag without parsing its content. The lists of fields
//! of all items are generated into `formats`.

use crate::cbor::Reader;
use crate::Result;

/// The CBOR type of a field and its cap.
#[derive(Clone, Copy)]
pub(crate) enum Shape {
    Uint(u64),
    Integer,
    Fixed32,
    Fixed16,
    Fixed8,
    Bytes(usize),
    Text(usize),
    Boolean,
    Float,
    List(u64),
}

/// A named field.
pub(crate) type Field = (&'static str, Shape);

/// Result of stepping over a field.
pub(crate) enum Seen<'a> {
    Number(u64),
    Bytes(&'a [u8]),
    Other,
}

/// Steps over one field.
pub(crate) fn skip<'a>(reader: &mut Reader<'a>, (name, shape): Field) -> Result<Seen<'a>> {
    match shape {
        Shape::Uint(most) => reader.uint(most, name).map(Seen::Number),
        Shape::Integer => reader.integer(name).map(|_| Seen::Other),
        Shape::Fixed32 => skip_fixed::<32>(reader, name),
        Shape::Fixed16 => skip_fixed::<16>(reader, name),
        Shape::Fixed8 => skip_fixed::<8>(reader, name),
        Shape::Bytes(most) => reader.bytes(most, name).map(Seen::Bytes),
        Shape::Text(most) => skip_text(reader, most, name),
        Shape::Boolean => reader.boolean(name).map(|_| Seen::Other),
        Shape::Float => reader.float(name).map(|_| Seen::Other),
        Shape::List(most) => skip_list(reader, most, name),
    }
}

fn skip_fixed<'a, const N: usize>(reader: &mut Reader<'a>, name: &'static str) -> Result<Seen<'a>> {
    Ok(Seen::Bytes(reader.fixed::<N>(name)?))
}

fn skip_text<'a>(reader: &mut Reader<'a>, most: usize, name: &'static str) -> Result<Seen<'a>> {
    Ok(Seen::Bytes(reader.text(most, name)?.as_bytes()))
}

fn skip_list<'a>(reader: &mut Reader<'a>, most: u64, name: &'static str) -> Result<Seen<'a>> {
    for _ in 0..reader.list(most, name)? {
        reader.uint(u64::from(u32::MAX), name)?;
    }
    Ok(Seen::Other)
}
