//! The fields of a context of TFHE (`spec/wire.md`, section 12).

use crate::cbor::codec::{Reader, Writer};
use crate::codes::{allowed, fields, kind, VERSION};
use crate::envelope::tagged::read_kind;
use crate::frame::header::read_byte;
use crate::packet_form::{read_device, Described, PacketForm};
use crate::{Kind, Result, Schema, TfheHeader, TfheParams, TfheSuite, WireError};

/// Writes the fields before the form of packets.
pub(crate) fn write(writer: &mut Writer, header: &TfheHeader, number: u8) {
    writer.array(fields::TFHE_CONTEXT).uint(VERSION);
    writer
        .uint(kind::TFHE_CONTEXT)
        .uint(header.suite.number().into())
        .bytes(&header.key_id)
        .uint(header.id.device)
        .uint(number.into());
    header.schema.write(writer);
    writer
        .uint(header.columns.into())
        .optional(header.packing.as_ref());
}

/// Reads the fields before the announcement. The set follows from the key, and bodies have `width` bytes.
pub(crate) fn read(
    reader: &mut Reader<'_>,
    params: &'static TfheParams,
    width: u8,
) -> Result<Described<TfheHeader>> {
    read_kind(
        reader,
        fields::TFHE_CONTEXT,
        kind::TFHE_CONTEXT,
        allowed::TFHE_CONTEXT,
    )?;
    let suite = TfheSuite::read(reader.uint(u64::MAX, "suite")?)?;
    let (key_id, id) = (*reader.fixed("key")?, read_device(reader)?);
    let number = read_byte(reader, "number")?;
    let header = TfheHeader {
        kind: Kind::SecretKey,
        params,
        suite,
        key_id,
        id,
        nonce: Default::default(),
        width,
        schema: Schema::read(reader)?,
        columns: reader.word("columns")?,
        packing: reader.optional("packing")?,
    };
    Ok(Described {
        header,
        number,
        form: PacketForm::read(reader)?,
        bytes: reader.position(),
    })
}

/// Refuses what no packet has, and what no frame of such a header has.
pub(crate) fn check(header: &TfheHeader) -> Result<()> {
    match header.suite {
        TfheSuite::Chacha20 => header.check_values(),
        other => Err(WireError::out_of_range("suite", other.number(), "1")),
    }
}
