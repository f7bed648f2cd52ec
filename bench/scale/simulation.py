"""A fleet, its brokers and its servers in discrete events: arrivals, losses, repetitions, deaths and take-overs are drawn.

Messages that behave alike are one batch, so that a hundred million devices take little longer than a thousand. A site without
brokers is one server with its own log: a receipt comes once it has stored a message. With brokers, a receipt comes once the
message is in its partition. A server reads it later, and another one reads again what a dead one had not committed."""
import heapq
import math
import random
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

PIECES = 8  # pauses that are drawn for a batch after its first try; later ones are as small already
REPLICAS, IN_STEP = 3, 2  # of a partition; those that must be there for a receipt


@dataclass(frozen=True)
class Death:
    """A server or a broker that ends at a time, and the seconds until it is back."""

    at: float
    kind: str
    number: int
    away: float


@dataclass(frozen=True)
class Site:
    """Parameters of a simulation. Times are in seconds."""

    rate: float  # messages a second that devices have to send
    seconds: float
    per_second: float  # messages that one server takes
    servers: int = 1
    brokers: int = 0  # none: one server with its own log
    partitions: int = 1
    loss: float = 0.0  # part of the messages, and of the receipts, that the network loses
    patience: float = 5.0  # until a device takes a message for lost
    first_pause: float = 1.0  # before a repetition; doubled with each one
    longest_pause: float = 300.0
    takeover: float = 15.0  # until partitions of a dead server have another one
    election: float = 10.0  # until a partition of a dead broker has another leader
    commit: float = 10.0  # between two commits of a table
    step: float = 0.1  # between two looks at the queues
    quiet: float = 0.0  # at the end, in which devices have nothing new
    deaths: tuple[Death, ...] = ()

    def check(self) -> None:
        """ValueError, with the field's name, for parameters that describe no site."""
        for name, least, most in (("rate", 0, 1e9), ("step", 1e-3, 10), ("seconds", self.step, 1e7), ("per_second", 1e-3, 1e9),
                                  ("servers", 1, 10_000), ("brokers", 0, 10_000), ("partitions", 1, 100_000), ("loss", 0, 0.9),
                                  ("takeover", 0, 3600), ("election", 0, 3600), ("commit", self.step, 3600),
                                  ("patience", 0, 3600)):
            if not least <= getattr(self, name) <= most:
                raise ValueError(f"{name}: {getattr(self, name)}; allowed are {least} to {most}")
        if self.brokers == 0 and (self.servers, self.partitions) != (1, 1):
            raise ValueError(f"servers: {self.servers} without brokers; allowed is 1, with 1 partition")
        if 0 < self.brokers < REPLICAS:
            raise ValueError(f"brokers: {self.brokers}; allowed are 0 and {REPLICAS} or more")


class Times:
    """Durations in classes of a thirtieth, from a millisecond."""

    def __init__(self) -> None:
        self.classes: dict[int, int] = {}
        self.count, self.most, self.sum = 0, 0.0, 0.0

    def add(self, seconds: float, count: int) -> None:
        """Adds a duration of so many messages."""
        place = round(30 * math.log(max(seconds, 1e-3)))
        self.classes[place] = self.classes.get(place, 0) + count
        self.count += count
        self.sum += seconds * count
        self.most = max(self.most, seconds)

    def quantile(self, part: float) -> float:
        """The duration that this part of the messages does not exceed."""
        wanted = part * self.count
        for place in sorted(self.classes):
            wanted -= self.classes[place]
            if wanted <= 0:
                return min(math.exp(place / 30), self.most)
        return 0.0

    def mean(self) -> float:
        """The mean."""
        return self.sum / self.count if self.count else 0.0


@dataclass
class Batch:
    """Messages that came into being at the same time and have been sent equally often."""

    born: float
    count: int
    attempt: int = 0
    is_stored: bool = False  # the receipt was lost


@dataclass
class Outcome:
    """The events of a run, counted."""

    sent: int = 0  # messages that devices had to send
    attempts: int = 0
    stored: int = 0
    known: int = 0  # stored before: their receipts had been lost
    again: int = 0  # read again after a death
    in_tables: int = 0
    waiting: int = 0  # at devices, without a receipt, at the end
    unread: int = 0  # in partitions or not committed, at the end
    busy: float = 0.0  # part of the servers' time
    receipt: Times = field(default_factory=Times)
    lag: Times = field(default_factory=Times)  # from partition to server
    unowned: float = 0.0  # the longest time of a partition without a server


@dataclass
class Partition:
    """A part of the fleet's messages."""

    number: int
    owner: int
    orphan_since: float | None = None
    leaderless_until: float = 0.0
    queue: deque = field(default_factory=deque)  # of (time, batch)


class Simulation:
    """One run."""

    def __init__(self, site: Site, seed: int) -> None:
        site.check()
        self.site, self.draw = site, random.Random(seed)
        self.now, self.order = 0.0, 0
        self.events: list[tuple[float, int, Callable[[], None]]] = []
        self.partitions = [Partition(number, number % site.servers) for number in range(site.partitions)]
        self.living = {"server": set(range(site.servers)), "broker": set(range(site.brokers))}
        self.uncommitted: list[list[tuple[Partition, float, Batch]]] = [[] for _ in range(site.servers)]
        self.outcome = Outcome()
        self.served = 0

    def at(self, time: float, call: Callable[[], None]) -> None:
        """Has something happen at a time."""
        self.order += 1
        heapq.heappush(self.events, (time, self.order, call))

    def run(self) -> Outcome:
        """Simulates the whole time."""
        self.at(0.0, self.step)
        for server in range(self.site.servers):
            # Servers do not commit at the same moment.
            self.at(self.site.commit * (server + 1) / self.site.servers, lambda server=server: self.commit(server))
        for death in self.site.deaths:
            self.at(death.at, lambda death=death: self.die(death))
        while self.events and self.events[0][0] <= self.site.seconds:
            self.now, _, call = heapq.heappop(self.events)
            call()
        found = self.outcome
        found.busy = self.served / (self.site.per_second * self.site.servers * (self.site.seconds - self.site.quiet))
        found.waiting = found.sent - found.receipt.count
        found.unread = found.stored - found.in_tables
        return found

    # Draws.

    def poisson(self, mean: float) -> int:
        """A number of arrivals."""
        if mean > 50:
            return max(0, round(self.draw.gauss(mean, math.sqrt(mean))))
        left, count = math.exp(-mean), -1
        product = 1.0
        while product > left:
            product *= self.draw.random()
            count += 1
        return max(count, 0)

    def some(self, count: int, part: float) -> int:
        """How many of `count` are hit, each with this probability."""
        mean = count * part
        if count <= 50:
            return sum(self.draw.random() < part for _ in range(count)) if part else 0
        if mean < 30:
            return min(count, self.poisson(mean))
        return min(count, max(0, round(self.draw.gauss(mean, math.sqrt(mean * (1 - part))))))

    # Devices.

    def step(self) -> None:
        """New messages, and what servers take in a step."""
        is_quiet = self.now >= self.site.seconds - self.site.quiet
        mean = 0.0 if is_quiet else self.site.rate * self.site.step / self.site.partitions
        for partition in self.partitions:
            if count := self.poisson(mean):
                self.outcome.sent += count
                self.send(partition, Batch(self.now, count))
        self.serve()
        self.at(self.now + self.site.step, self.step)

    def send(self, partition: Partition, batch: Batch) -> None:
        """Devices send a batch."""
        self.outcome.attempts += batch.count
        lost = self.some(batch.count, self.site.loss)
        self.later(partition, batch, lost, self.site.patience)
        there = Batch(batch.born, batch.count - lost, batch.attempt, batch.is_stored)
        if there.count == 0:
            return
        if not self.is_open(partition):
            self.later(partition, there, there.count, 0.0)
        elif there.is_stored:
            self.outcome.known += there.count
            self.receive(partition, there)
        elif self.site.brokers:
            self.outcome.stored += there.count
            partition.queue.append((self.now, there))
            self.receive(partition, there)
        else:
            partition.queue.append((self.now, there))

    def later(self, partition: Partition, batch: Batch, count: int, patience: float) -> None:
        """Devices send `count` of a batch again, after pauses of their own."""
        pieces = min(PIECES if batch.attempt == 0 else 1, count)
        for piece in range(pieces):
            share = count // pieces + (piece < count % pieces)
            pause = min(self.site.first_pause * 2.0**batch.attempt, self.site.longest_pause) * self.draw.uniform(0.5, 1.5)
            repeated = Batch(batch.born, share, batch.attempt + 1, batch.is_stored)
            self.at(self.now + patience + pause, lambda repeated=repeated: self.send(partition, repeated))

    def receive(self, partition: Partition, batch: Batch) -> None:
        """Receipts go to devices; some are lost."""
        lost = self.some(batch.count, self.site.loss)
        self.later(partition, Batch(batch.born, lost, batch.attempt, True), lost, self.site.patience)
        if batch.count > lost:
            self.outcome.receipt.add(self.now - batch.born, batch.count - lost)

    def is_open(self, partition: Partition) -> bool:
        """Whether a message is taken."""
        if not self.site.brokers:
            return bool(self.living["server"])
        if self.now < partition.leaderless_until:
            return False
        alive = self.living["broker"]
        if len(alive) == self.site.brokers:
            return True
        return sum((partition.number + at) % self.site.brokers in alive for at in range(REPLICAS)) >= IN_STEP

    # Servers and brokers.

    def serve(self) -> None:
        """Each server takes as much as it can in a step, from its partitions in turn."""
        mine: dict[int, list[Partition]] = {server: [] for server in self.living["server"]}
        for partition in self.partitions:
            if partition.owner in mine and partition.queue:
                mine[partition.owner].append(partition)
        for server, partitions in mine.items():
            # Capacity of less than one message a step is drawn, so that its mean is right.
            budget = self.site.per_second * self.site.step
            left = math.floor(budget) + (self.draw.random() < budget % 1)
            self.draw.shuffle(partitions)
            for partition in partitions:
                left -= self.take(server, partition, left)

    def take(self, server: int, partition: Partition, most: int) -> int:
        """A server takes at most so many messages of a partition; the number of them."""
        taken = 0
        if self.site.brokers and not self.is_open(partition):
            return 0
        while partition.queue and taken < most:
            came, batch = partition.queue.popleft()
            count = min(batch.count, most - taken)
            if count < batch.count:
                partition.queue.appendleft((came, Batch(batch.born, batch.count - count, batch.attempt)))
            part = Batch(batch.born, count, batch.attempt)
            self.outcome.lag.add(self.now - came, count)
            self.uncommitted[server].append((partition, came, part))
            taken += count
            if not self.site.brokers:
                self.outcome.stored += count
                self.receive(partition, part)
        self.served += taken
        return taken

    def commit(self, server: int) -> None:
        """A table's version takes up what a server read."""
        self.outcome.in_tables += sum(batch.count for _, _, batch in self.uncommitted[server])
        self.uncommitted[server].clear()
        self.at(self.now + self.site.commit, lambda: self.commit(server))

    def die(self, death: Death) -> None:
        """A server or a broker ends."""
        self.living[death.kind].discard(death.number)
        self.at(self.now + death.away, lambda: self.come_back(death))
        if death.kind == "broker":
            for partition in self.partitions:
                if partition.number % self.site.brokers == death.number:
                    partition.leaderless_until = self.now + self.site.election
        elif self.site.brokers:
            self.give_back(death.number)
            for partition in self.partitions:
                if partition.owner == death.number and partition.orphan_since is None:
                    partition.orphan_since = self.now
            self.at(self.now + self.site.takeover, self.spread)
        else:
            self.forget()

    def give_back(self, server: int) -> None:
        """Another server reads again what a dead one had not committed."""
        for partition, came, batch in reversed(self.uncommitted[server]):
            partition.queue.appendleft((came, batch))
            self.outcome.again += batch.count
        self.uncommitted[server].clear()

    def forget(self) -> None:
        """Messages on their way to a log are lost with their server, and devices send them again."""
        queue, self.partitions[0].queue = self.partitions[0].queue, deque()
        for _, batch in queue:
            self.later(self.partitions[0], batch, batch.count, 0.0)

    def spread(self) -> None:
        """Partitions go to the living servers."""
        servers = sorted(self.living["server"])
        for partition in self.partitions if servers else ():
            partition.owner = servers[partition.number % len(servers)]
            if partition.orphan_since is not None:
                self.outcome.unowned = max(self.outcome.unowned, self.now - partition.orphan_since)
                partition.orphan_since = None

    def come_back(self, death: Death) -> None:
        """A server or a broker is there again."""
        self.living[death.kind].add(death.number)
        if death.kind == "server" and self.site.brokers:
            self.spread()


def simulate(site: Site, seed: int = 1) -> Outcome:
    """Simulates a site; the same seed gives the same outcome."""
    return Simulation(site, seed).run()


def bad_time(site: Site, server_away: float, broker_away: float, seed: int = 1) -> Site:
    """The site in a time in which each server and each broker dies once, at a time that is drawn."""
    draw = random.Random(seed)
    servers = [Death(draw.uniform(0.02, 0.9) * site.seconds, "server", number, server_away) for number in range(site.servers)]
    brokers = [Death(draw.uniform(0.02, 0.9) * site.seconds, "broker", number, broker_away) for number in range(site.brokers)]
    return Site(**{**site.__dict__, "deaths": tuple(sorted([*servers, *brokers], key=lambda death: death.at))})
