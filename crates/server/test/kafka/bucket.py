"""Runs a server of S3's protocol, with a bucket for tables."""
import collections
import json
import subprocess
import sys
from collections.abc import Iterator

import boto3
import harness
from broker import free_port
from deltalake import DeltaTable, QueryBuilder

KEYS = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "AWS_REGION": "us-east-1", "AWS_ALLOW_HTTP": "true"}
NAME = "meters"


class Bucket:
    """A bucket in a process of its own, in memory."""

    def __init__(self) -> None:
        self.port = free_port()

    def __enter__(self) -> "Bucket":
        command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(self.port)]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        harness.wait_for(self.is_made, lambda: "the bucket does not start", 60)
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()

    @property
    def environment(self) -> dict[str, str]:
        """The access of a server to the bucket."""
        return {**KEYS, "AWS_ENDPOINT_URL": f"http://127.0.0.1:{self.port}"}

    @property
    def url(self) -> str:
        """Where a fleet's tables are."""
        return f"s3://{NAME}/fleet"

    def client(self) -> "boto3.client":
        """A client of the bucket."""
        return boto3.client("s3", endpoint_url=f"http://127.0.0.1:{self.port}", region_name="us-east-1",
                            aws_access_key_id="test", aws_secret_access_key="test")

    def is_made(self) -> bool:
        """Makes the bucket; false as long as nobody listens."""
        try:
            self.client().create_bucket(Bucket=NAME)
        except Exception:  # pylint: disable=broad-except
            return False
        return True

    def objects(self, folder: str) -> Iterator[str]:
        """Names of objects in a folder of the fleet."""
        pages = self.client().get_paginator("list_objects_v2").paginate(Bucket=NAME, Prefix=f"fleet/{folder}/")
        for page in pages:
            yield from (found["Key"] for found in page.get("Contents", []))

    def read(self, name: str) -> bytes:
        """Bytes of an object."""
        return self.client().get_object(Bucket=NAME, Key=name)["Body"].read()

    def refused(self, topic: str) -> list[dict]:
        """The records that servers refused, in their order."""
        found = [json.loads(self.read(name).split(b"\n", 1)[0]) for name in self.objects(f"{topic}/quarantine")]
        return sorted(found, key=lambda record: (record["partition"], record["offset"]))

    def table(self, topic: str) -> DeltaTable | None:
        """The only table of a topic, as another reader of Delta tables finds it."""
        entries = [name for name in self.objects(topic) if "/_delta_log/" in name]
        if not entries:
            return None
        folder = entries[0].split("/_delta_log/")[0]
        return DeltaTable(f"s3://{NAME}/{folder}", storage_options=self.environment)

    def query(self, topic: str, columns: str) -> list[tuple]:
        """Columns of all rows of a topic's table."""
        table = self.table(topic)
        if table is None:
            return []
        rows = QueryBuilder().register("frames", table).execute(f"SELECT {columns} FROM frames").read_all()
        return list(zip(*(rows[name].to_pylist() for name in columns.split(", "))))

    def names(self, topic: str) -> collections.Counter[harness.Name]:
        """Names of the frames in a topic's table, and how often each is there."""
        return collections.Counter(self.query(topic, "device, epoch, sequence"))
