//! Places of tables: a bucket with a prefix.

use std::io::{Error, ErrorKind, Result};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use isopod_disk::Disk;
use url::Url;

/// A bucket, and the begin of the names of all objects in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    bucket: String,
    prefix: PathBuf,
}

impl Place {
    /// The place of a URL `s3://BUCKET/PREFIX`.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidInput`] for another scheme, no bucket, a query, or a prefix with a part that begins with a point.
    pub fn parse(text: &str) -> Result<Self> {
        let refused = || {
            let allowed = "allowed is s3://BUCKET/PREFIX";
            Error::new(ErrorKind::InvalidInput, format!("{text}: {allowed}"))
        };
        let url = Url::parse(text).map_err(|_| refused())?;
        let bucket = url.host_str().filter(|bucket| !bucket.is_empty());
        let is_plain = url.query().is_none()
            && url.fragment().is_none()
            && url.username().is_empty()
            && url.port().is_none()
            && !url.path().contains("/.")
            && !url.path().contains('%');
        match bucket {
            Some(bucket) if url.scheme() == "s3" && is_plain => Ok(Self {
                bucket: bucket.to_owned(),
                prefix: Path::new("/").join(url.path().trim_matches('/')),
            }),
            _ => Err(refused()),
        }
    }

    /// Name of the bucket.
    pub fn bucket(&self) -> &str {
        &self.bucket
    }

    /// Path of the prefix on the disk of the bucket.
    pub fn path(&self) -> &Path {
        &self.prefix
    }

    /// The bucket's URL.
    pub fn url(&self) -> String {
        format!("s3://{}", self.bucket)
    }
}

/// The disk of a place, by the access that the environment gives. Files that are being written are in `folder` of this machine.
///
/// # Errors
/// A folder that cannot be made; [`ErrorKind::Unsupported`] without the feature `s3`; [`ErrorKind::InvalidInput`] for an
/// environment that is no access.
pub fn open(place: &Place, folder: &Path) -> Result<Arc<dyn Disk>> {
    Ok(Arc::new(crate::ObjectDisk::new(store(place)?, folder)?))
}

/// The store of a place.
#[cfg(feature = "s3")]
fn store(place: &Place) -> Result<Arc<dyn object_store::ObjectStore>> {
    use object_store::aws::{AmazonS3Builder, S3ConditionalPut};
    use object_store::RetryConfig;
    use std::time::Duration;

    let retry = RetryConfig {
        max_retries: 8,
        retry_timeout: Duration::from_secs(20),
        ..RetryConfig::default()
    };
    let store = AmazonS3Builder::from_env()
        .with_bucket_name(place.bucket())
        .with_conditional_put(S3ConditionalPut::ETagMatch)
        .with_retry(retry)
        .build();
    match store {
        Ok(store) => Ok(Arc::new(store)),
        Err(error) => Err(Error::new(ErrorKind::InvalidInput, error)),
    }
}

#[cfg(not(feature = "s3"))]
fn store(place: &Place) -> Result<Arc<dyn object_store::ObjectStore>> {
    let detail = format!("{}: this program was built without s3", place.url());
    Err(Error::new(ErrorKind::Unsupported, detail))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_a_bucket_and_a_prefix() {
        for (text, bucket, path) in [
            ("s3://meters", "meters", "/"),
            ("s3://meters/", "meters", "/"),
            ("s3://meters/fleet/a/", "meters", "/fleet/a"),
        ] {
            let place = Place::parse(text).unwrap();
            assert_eq!(place.bucket(), bucket);
            assert_eq!(place.path(), Path::new(path));
        }
    }

    #[test]
    fn other_urls_are_refused_with_what_is_allowed() {
        for text in [
            "meters",
            "/srv/tables",
            "http://meters/a",
            "s3:///a",
            "s3://",
            "s3://meters/a?b",
            "s3://meters/a#b",
            "s3://me@meters/a",
            "s3://meters:80/a",
            "s3://meters/a/.b",
            "s3://meters/a%20b",
        ] {
            let refused = Place::parse(text).unwrap_err().to_string();
            assert!(
                refused.ends_with("allowed is s3://BUCKET/PREFIX"),
                "{text}: {refused}"
            );
        }
    }
}
