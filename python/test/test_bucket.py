"""Tests Spark on a table in a bucket: the sums are those of the table that was copied there.

It needs what `make test-spark` installs: a server of S3's protocol (moto), and Spark's connector in build/spark-s3."""
import os
import sys
import tempfile
import unittest
from pathlib import Path
from unittest.mock import patch

from pyspark.sql import SparkSession
from test_spark import ROOT, Fleet, configured

sys.path[:0] = [str(ROOT / "crates/server/test/kafka"), str(ROOT / "crates/server/test")]

import isopod_spark  # noqa: E402
from bucket import NAME, Bucket  # noqa: E402

JARS = sorted(map(str, (ROOT / "build/spark-s3").glob("*.jar")))


class BucketTest(unittest.TestCase):
    """A table in a bucket."""

    def session(self, bucket: Bucket) -> SparkSession:
        """Spark with access to a bucket."""
        builder = configured(SparkSession.builder.master("local[2]").appName("bucket"))
        access = bucket.environment
        for name, value in (("endpoint", access["AWS_ENDPOINT_URL"]), ("endpoint.region", access["AWS_REGION"]),
                            ("access.key", access["AWS_ACCESS_KEY_ID"]), ("secret.key", access["AWS_SECRET_ACCESS_KEY"]),
                            ("path.style.access", "true"), ("connection.ssl.enabled", "false")):
            builder = builder.config(f"spark.hadoop.fs.s3a.{name}", value)
        spark = builder.config("spark.jars", ",".join(JARS)).getOrCreate()
        self.addCleanup(spark.stop)
        return spark

    def test_sums_of_a_bucket_are_those_of_the_clear(self) -> None:
        place = Path(self.enterContext(tempfile.TemporaryDirectory()))
        fleet = Fleet(place)
        bucket = self.enterContext(Bucket())
        for path in fleet.table.rglob("*"):
            if path.is_file():
                bucket.client().upload_file(str(path), NAME, f"fleet/{path.relative_to(fleet.table)}")
        with patch.dict(os.environ, bucket.environment):
            files = isopod_spark.files(bucket.url)
        self.assertEqual([Path(name).name for name in files], [Path(name).name for name in isopod_spark.files(fleet.table)])
        os.environ["PYSPARK_PYTHON"] = sys.executable
        rows = self.session(bucket).read.parquet(*files)
        sums = isopod_spark.aggregate(rows, str(fleet.server), "sum", by=["device"]).collect()
        self.assertEqual(fleet.answers(sums), fleet.sums)


if __name__ == "__main__":
    unittest.main()
