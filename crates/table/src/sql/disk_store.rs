//! Files of a table's disk as a store that DataFusion reads from, where the disk is not this machine's.

use std::fmt;
use std::io::ErrorKind;
use std::ops::Range;
use std::path::Path as FilePath;
use std::sync::Arc;

use bytes::Bytes;
use futures::stream::{self, BoxStream};
use futures::StreamExt;
use isopod_disk::{Access, Disk};
use object_store::path::Path;
use object_store::{
    CopyOptions, Error, GetOptions, GetResult, GetResultPayload, ListResult, MultipartUpload,
    ObjectMeta, ObjectStore, PutMultipartOptions, PutOptions, PutPayload, PutResult, Result,
};

/// Scheme of the URLs of its files.
pub(super) const URL: &str = "isopod://disk";

/// A store that reads the files of a disk, and does nothing else.
#[derive(Debug)]
pub(super) struct DiskStore(pub Arc<dyn Disk>);

impl fmt::Display for DiskStore {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(URL)
    }
}

/// Bytes of a file, at most those of the range that is asked for, and its length.
fn read(
    disk: &dyn Disk,
    location: &Path,
    options: &GetOptions,
) -> Result<(u64, Range<u64>, Bytes)> {
    let told = |error: std::io::Error| match error.kind() {
        ErrorKind::NotFound => Error::NotFound {
            path: location.to_string(),
            source: error.into(),
        },
        _ => Error::Generic {
            store: "disk",
            source: error.into(),
        },
    };
    let path = FilePath::new("/").join(location.as_ref());
    let file = disk.open(&path, Access::Read).map_err(told)?;
    let length = file.length().map_err(told)?;
    let range = match &options.range {
        None => 0..length,
        Some(range) => range.as_range(length).map_err(|error| Error::Generic {
            store: "disk",
            source: error.into(),
        })?,
    };
    let mut bytes = vec![
        0;
        if options.head {
            0
        } else {
            (range.end - range.start) as usize
        }
    ];
    file.read_exact_at(&mut bytes, range.start).map_err(told)?;
    Ok((length, range, bytes.into()))
}

fn refused<T>() -> Result<T> {
    Err(Error::NotSupported {
        source: "files of a table are read alone".into(),
    })
}

#[async_trait::async_trait]
impl ObjectStore for DiskStore {
    async fn get_opts(&self, location: &Path, options: GetOptions) -> Result<GetResult> {
        let (disk, name) = (self.0.clone(), location.clone());
        let reading = tokio::task::spawn_blocking(move || read(&*disk, &name, &options));
        let read = reading
            .await
            .map_err(|error| Error::JoinError { source: error })?;
        let (length, range, bytes) = read?;
        Ok(GetResult {
            payload: GetResultPayload::Stream(stream::once(async { Ok(bytes) }).boxed()),
            meta: ObjectMeta {
                location: location.clone(),
                last_modified: Default::default(),
                size: length,
                e_tag: None,
                version: None,
            },
            range,
            attributes: Default::default(),
        })
    }

    async fn put_opts(&self, _: &Path, _: PutPayload, _: PutOptions) -> Result<PutResult> {
        refused()
    }

    async fn put_multipart_opts(
        &self,
        _: &Path,
        _: PutMultipartOptions,
    ) -> Result<Box<dyn MultipartUpload>> {
        refused()
    }

    fn delete_stream(
        &self,
        _: BoxStream<'static, Result<Path>>,
    ) -> BoxStream<'static, Result<Path>> {
        stream::once(async { refused() }).boxed()
    }

    fn list(&self, _: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        stream::once(async { refused() }).boxed()
    }

    async fn list_with_delimiter(&self, _: Option<&Path>) -> Result<ListResult> {
        refused()
    }

    async fn copy_opts(&self, _: &Path, _: &Path, _: CopyOptions) -> Result<()> {
        refused()
    }
}
