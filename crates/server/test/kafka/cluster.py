"""Runs Apache Kafka: brokers that are controllers, too, each a process on this machine, and topics of three replicas."""
import contextlib
import os
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import harness
from broker import free_port
from confluent_kafka import KafkaException, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewPartitions, NewTopic

LIBRARIES = harness.ROOT / "build/kafka"
CLUSTER = "aXNvcG9kLWthZmthLXRlc3Q"
PROPERTIES = """
process.roles=broker,controller
node.id={node}
controller.quorum.voters={voters}
listeners=BROKER://127.0.0.1:{port},CONTROLLER://127.0.0.1:{control}
advertised.listeners=BROKER://127.0.0.1:{port}
listener.security.protocol.map=BROKER:PLAINTEXT,CONTROLLER:PLAINTEXT
controller.listener.names=CONTROLLER
inter.broker.listener.name=BROKER
log.dirs={place}/log
auto.create.topics.enable=false
default.replication.factor={brokers}
min.insync.replicas={least}
offsets.topic.replication.factor={brokers}
offsets.topic.num.partitions=4
transaction.state.log.replication.factor={brokers}
group.initial.rebalance.delay.ms=0
group.min.session.timeout.ms=1000
broker.session.timeout.ms=6000
unclean.leader.election.enable=false
"""


def java(main: str, *arguments: str | Path) -> list[str]:
    """The command line of a program of Kafka."""
    flags = ["-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto"]
    return ["java", *flags, "-cp", f"{LIBRARIES}/*", main, *map(str, arguments)]


@dataclass
class Node:
    """A broker."""

    number: int
    port: int = field(default_factory=free_port)
    control: int = field(default_factory=free_port)
    process: subprocess.Popen | None = None

    @property
    def address(self) -> str:
        """Host and port."""
        return f"127.0.0.1:{self.port}"

    def kill(self) -> None:
        """Ends the process like a crash."""
        self.process.kill()
        self.process.wait()


class Cluster:
    """Brokers of one cluster; a record counts once all but one of them have it."""

    def __init__(self, brokers: int = 3):
        self.place = harness.folder()
        self.nodes = [Node(number) for number in range(1, brokers + 1)]
        voters = ",".join(f"{node.number}@127.0.0.1:{node.control}" for node in self.nodes)
        for node in self.nodes:
            text = PROPERTIES.format(node=node.number, voters=voters, port=node.port, control=node.control, brokers=brokers,
                                     place=self.place / str(node.number), least=max(1, brokers - 1))
            self.properties(node).write_text(text)
            format_log = ("format", "--cluster-id", CLUSTER, "--config", self.properties(node))
            subprocess.run(java("kafka.tools.StorageTool", *format_log), check=True, capture_output=True)

    def properties(self, node: Node) -> Path:
        """The configuration of a broker."""
        return self.place / f"{node.number}.properties"

    @property
    def addresses(self) -> str:
        """All brokers."""
        return ",".join(node.address for node in self.nodes)

    def start(self) -> "Cluster":
        """Starts all brokers, and waits until they answer."""
        for node in self.nodes:
            self.start_one(node)
        harness.wait_for(self.is_up, lambda: "the brokers do not start", 120)
        return self

    def start_one(self, node: Node) -> None:
        """Starts a broker."""
        with (self.place / f"{node.number}.out").open("a") as log:
            node.process = subprocess.Popen(java("kafka.Kafka", self.properties(node)), stdout=log, stderr=log, cwd=self.place,
                                            env=os.environ | {"LOG_DIR": str(self.place)})

    def is_up(self) -> bool:
        """True if all brokers are there."""
        try:
            return len(self.admin().list_topics(timeout=2).brokers) == len(self.nodes)
        except KafkaException:
            return False

    def admin(self) -> AdminClient:
        """A client that changes topics."""
        return AdminClient({"bootstrap.servers": self.addresses, "log_level": 0})

    def create(self, topic: str, partitions: int) -> None:
        """Makes a topic."""
        wanted = NewTopic(topic, num_partitions=partitions, replication_factor=len(self.nodes))
        admin = self.admin()
        admin.create_topics([wanted])[topic].result(30)

    def grow(self, topic: str, partitions: int) -> None:
        """Gives a topic more partitions."""
        admin = self.admin()
        admin.create_partitions([NewPartitions(topic, partitions)])[topic].result(30)

    def forget(self, topic: str, partition: int, before: int) -> None:
        """Removes the records of a partition before an offset, as the topic's retention does."""
        admin = self.admin()
        place = TopicPartition(topic, partition, before)
        admin.delete_records([place])[place].result(30)

    def put(self, topic: str, *records: tuple[bytes | None, bytes | None, int]) -> None:
        """Puts records into a topic, each of key, value and partition, as somebody else may."""
        producer = Producer({"bootstrap.servers": self.addresses, "log_level": 0})
        for key, value, partition in records:
            producer.produce(topic, value, key, partition)
        if producer.flush(30):
            raise RuntimeError("the brokers do not take records")

    def kill(self) -> None:
        """Ends all brokers."""
        for node in self.nodes:
            if node.process and node.process.poll() is None:
                node.kill()

    def __enter__(self) -> "Cluster":
        return self.start()

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(OSError):
            self.kill()
