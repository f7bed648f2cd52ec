//! Fields of an authenticated item: enough to find its end and its tag without parsing its content. The lists of fields
//! of all items are generated into `formats`.

use crate::cbor::codec::Reader;
use crate::Result;

/// The CBOR type of a field and its cap.
#[derive(Clone, Copy)]
pub(crate) enum FieldType {
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
pub(crate) type Field = (&'static str, FieldType);

/// Result of stepping over a field.
pub(crate) enum FieldValue<'a> {
    Number(u64),
    Bytes(&'a [u8]),
    Other,
}

/// Steps over one field.
pub(crate) fn skip<'a>(reader: &mut Reader<'a>, (name, shape): Field) -> Result<FieldValue<'a>> {
    match shape {
        FieldType::Uint(most) => reader.uint(most, name).map(FieldValue::Number),
        FieldType::Integer => reader.integer(name).map(|_| FieldValue::Other),
        FieldType::Fixed32 => skip_fixed::<32>(reader, name),
        FieldType::Fixed16 => skip_fixed::<16>(reader, name),
        FieldType::Fixed8 => skip_fixed::<8>(reader, name),
        FieldType::Bytes(most) => reader.bytes(most, name).map(FieldValue::Bytes),
        FieldType::Text(most) => skip_text(reader, most, name),
        FieldType::Boolean => reader.boolean(name).map(|_| FieldValue::Other),
        FieldType::Float => reader.float(name).map(|_| FieldValue::Other),
        FieldType::List(most) => skip_list(reader, most, name),
    }
}

fn skip_fixed<'a, const N: usize>(
    reader: &mut Reader<'a>,
    name: &'static str,
) -> Result<FieldValue<'a>> {
    Ok(FieldValue::Bytes(reader.fixed::<N>(name)?))
}

fn skip_text<'a>(
    reader: &mut Reader<'a>,
    most: usize,
    name: &'static str,
) -> Result<FieldValue<'a>> {
    Ok(FieldValue::Bytes(reader.text(most, name)?.as_bytes()))
}

fn skip_list<'a>(reader: &mut Reader<'a>, most: u64, name: &'static str) -> Result<FieldValue<'a>> {
    for _ in 0..reader.list(most, name)? {
        reader.uint(u64::from(u32::MAX), name)?;
    }
    Ok(FieldValue::Other)
}
