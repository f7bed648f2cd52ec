//! The fields of a context of CKKS or BFV (`spec/wire.md`, section 12).

use crate::cbor::codec::{Reader, Writer};
use crate::codes::{allowed, fields, kind, size, VERSION};
use crate::envelope::tagged::read_kind;
use crate::frame::header::{read_byte, read_set, MaskOrder};
use crate::packet_form::{read_device, Described, PacketForm};
use crate::{
    Claims, FrameHeader, FrameId, KeyId, Kind, Layout, ParameterSet, Result, Rounding, Scheme,
    Suite, WireError,
};

/// Writes the fields before the form of packets.
pub(crate) fn write(writer: &mut Writer, header: &FrameHeader, number: u8) {
    writer.array(fields::CONTEXT).uint(VERSION);
    writer
        .uint(kind::CONTEXT)
        .bytes(&header.params.set_id)
        .uint(header.suite.number().into())
        .bytes(&header.key_id)
        .uint(header.id.device)
        .uint(number.into())
        .uint(header.kind.number(header.params.scheme()))
        .uint(header.log2_scale.into())
        .uint(header.count.into())
        .uint(header.layout.number_of_frame(header.dithered).into());
    header.claims.write(writer);
    let rounding = header.rounding.map(|by| (by.run, by.dropped[0]));
    let (run, dropped) = rounding.unwrap_or_default();
    writer.uint(run.into()).uint(dropped.into());
}

/// Reads the fields before the announcement.
pub(crate) fn read(
    reader: &mut Reader<'_>,
    set: &'static ParameterSet,
) -> Result<Described<FrameHeader>> {
    read_kind(reader, fields::CONTEXT, kind::CONTEXT, allowed::CONTEXT)?;
    let names = Names::read(reader)?;
    if names.params.set_id != set.set_id {
        return Err(WireError::out_of_range("set", names.params.name, set.name));
    }
    let (log2_scale, count) = (read_byte(reader, "log2_scale")?, reader.word("count")?);
    let (layout, dithered) = Layout::read_of_frame(reader)?;
    let claims = Claims::read(reader)?;
    let (run, dropped) = (reader.word("run")?, read_byte(reader, "dropped")?);
    let form = PacketForm::read(reader)?;
    let header = FrameHeader {
        kind: names.kind,
        params: names.params,
        parts: 1,
        suite: names.suite,
        key_id: names.key_id,
        id: names.id,
        nonce: Default::default(),
        interleave: 1,
        log2_scale,
        count,
        layout,
        dithered,
        claims,
        rounding: Some(Rounding {
            run,
            dropped: [dropped, 0],
        }),
        seed: vec![0; size::MASK_SEED],
        mask_order: MaskOrder::Coefficients,
    };
    Ok(Described {
        header,
        number: names.number,
        form,
        bytes: reader.position(),
    })
}

/// Refuses what no packet has, and what no frame of such a header has.
pub(crate) fn check(header: &FrameHeader) -> Result<()> {
    check_frame_kind(header.kind, header.params.scheme())?;
    check_suite(header.suite)?;
    if header.layout != Layout::CoefficientsRounded || header.rounding.is_none() {
        let found = header.layout.number();
        return Err(WireError::out_of_range("layout", found, "5"));
    }
    header.check()
}

/// Bytes of a packet's body.
pub(crate) fn body_bytes(header: &FrameHeader) -> Result<usize> {
    let mut rounding = header.rounding.iter();
    rounding.try_fold(0, |sum, rounding| {
        Ok(sum + header.rounded_bytes(rounding)?[0])
    })
}

/// The fields that tell a context from others.
struct Names {
    params: &'static ParameterSet,
    suite: Suite,
    key_id: KeyId,
    /// With the device alone.
    id: FrameId,
    number: u8,
    kind: Kind,
}

impl Names {
    fn read(reader: &mut Reader<'_>) -> Result<Self> {
        let params = read_set(reader)?;
        Ok(Self {
            params,
            suite: Suite::read(reader.uint(u64::MAX, "suite")?)?,
            key_id: *reader.fixed("key")?,
            id: read_device(reader)?,
            number: read_byte(reader, "number")?,
            kind: Kind::read(reader.uint(u64::MAX, "frame")?, params.scheme())?,
        })
    }
}

/// All that a packet derives is ChaCha20.
fn check_suite(suite: Suite) -> Result<()> {
    match suite {
        Suite::Chacha20 => Ok(()),
        other => Err(WireError::out_of_range("suite", other.number(), "1")),
    }
}

/// Only the secret key makes ciphertexts that fit into packets.
fn check_frame_kind(kind: Kind, scheme: Scheme) -> Result<()> {
    match kind {
        Kind::SecretKey => Ok(()),
        Kind::PublicKey => Err(WireError::out_of_range(
            "frame",
            kind.number(scheme),
            "2 or 4",
        )),
    }
}
