//! Contests of values for the smallest or largest, in rounds of pairs.

use isopod_tfhe::native::{Block, LookupTable, Query, ServerKeys};
use isopod_wire::ValueType;

use super::extremum::Extremum;
use super::value::{choose, refresh, Choice, Digit, Value, CHOICE};
use crate::Error;

/// Pairs that play together.
const PAIRS: usize = 8;
/// Largest noise of the difference of two values' blocks, beside that of the bit of the blocks below, in bootstraps.
const MOST: u64 = 4;

/// A value, and the digits of its place where that is asked for.
#[derive(Clone)]
pub(super) struct Player {
    pub value: Vec<Digit>,
    pub place: Vec<Digit>,
}

/// Values that come one by one; those of one round in their order, so that the first of equals wins. In memory are some players
/// of every round.
pub(super) struct Contest {
    which: Extremum,
    of: ValueType,
    rounds: Vec<Vec<Player>>,
}

impl Contest {
    pub(super) fn new(which: Extremum, of: ValueType) -> Self {
        let rounds = Vec::new();
        Self { which, of, rounds }
    }

    /// Takes values with their places.
    pub(super) fn take(
        &mut self,
        keys: &ServerKeys,
        values: Vec<(Value, Vec<Digit>)>,
    ) -> Result<(), Error> {
        let players = values.into_iter().map(|(value, place)| Player {
            value: value.into_iter().map(Digit::Hidden).collect(),
            place,
        });
        let mut players: Vec<Player> = players.collect();
        self.turn_signs(keys, &mut players)?;
        self.enter(0, players);
        let mut round = 0;
        while round < self.rounds.len() {
            if self.rounds[round].len() >= 2 * PAIRS {
                let even = self.rounds[round].len() / 2 * 2;
                let players: Vec<Player> = self.rounds[round].drain(..even).collect();
                let winners = self.play(keys, players)?;
                self.enter(round + 1, winners);
            }
            round += 1;
        }
        Ok(())
    }

    fn enter(&mut self, round: usize, players: Vec<Player>) {
        if round == self.rounds.len() {
            self.rounds.push(Vec::new());
        }
        self.rounds[round].extend(players);
    }

    /// Lets signed values count from the smallest number, and back.
    fn turn_signs(&self, keys: &ServerKeys, players: &mut [Player]) -> Result<(), Error> {
        if !self.of.is_signed() {
            return Ok(());
        }
        let table = LookupTable::new(0, |block| 2 * (block ^ 2));
        let signs = players.iter().filter_map(|player| player.value.last());
        let queries: Vec<Query<'_>> = signs.map(|sign| (sign.block(), &table)).collect();
        let turned = keys.look_up(&queries)?;
        for (player, turned) in players.iter_mut().zip(turned) {
            player.value.pop();
            player.value.push(Digit::Hidden(turned));
        }
        Ok(())
    }

    /// Winners of pairs; a player without one is the last winner.
    fn play(&self, keys: &ServerKeys, mut players: Vec<Player>) -> Result<Vec<Player>, Error> {
        let digits = players.iter_mut();
        let digits = digits.flat_map(|player| player.value.iter_mut().chain(&mut player.place));
        refresh(keys, digits)?;
        let last = if players.len() % 2 == 1 {
            players.pop()
        } else {
            None
        };
        let pairs: Vec<(Player, Player)> = pairs(players);
        let wins = self.wins(keys, &pairs)?;
        let choices = pairs
            .into_iter()
            .zip(wins)
            .map(|((one, other), condition)| Choice {
                condition,
                one: one.joined(),
                other: other.joined(),
            });
        let chosen = choose(keys, &choices.collect::<Vec<_>>())?;
        let winners = chosen.into_iter().map(|digits| self.player(digits));
        Ok(winners.chain(last).collect())
    }

    fn player(&self, mut digits: Vec<Digit>) -> Player {
        let place = digits.split_off(self.of.blocks(2));
        Player {
            value: digits,
            place,
        }
    }

    /// Whether the second of each pair is strictly better, times [`CHOICE`].
    fn wins(&self, keys: &ServerKeys, pairs: &[(Player, Player)]) -> Result<Vec<Block>, Error> {
        let differences = pairs.iter().map(|(one, other)| match self.which {
            Extremum::Minimum => differences(&other.value, &one.value),
            Extremum::Maximum => differences(&one.value, &other.value),
        });
        let columns = columns(differences.collect());
        let last = columns.len().saturating_sub(1);
        let mut below = vec![Block::clear(0); pairs.len()];
        for (at, column) in columns.into_iter().enumerate() {
            let factor = if at == last { CHOICE } else { 1 };
            // The negative ones of -16 to 15.
            let table = LookupTable::new(0, |_| -factor);
            let sums = column.into_iter().zip(&below);
            let queries = sums.map(|(block, below)| (block.plus(below, -1), &table));
            let found = keys.look_up(&queries.collect::<Vec<Query<'_>>>())?;
            below = found
                .into_iter()
                .map(|bit| bit.plus_halves(factor))
                .collect();
        }
        Ok(below)
    }

    /// Leaves the winner alone.
    pub(super) fn settle(&mut self, keys: &ServerKeys) -> Result<(), Error> {
        let winner = self.winner(keys)?;
        self.rounds = vec![winner.into_iter().collect()];
        Ok(())
    }

    /// The winner, whose sign is turned; None if nobody came.
    fn winner(&mut self, keys: &ServerKeys) -> Result<Option<Player>, Error> {
        let rounds = std::mem::take(&mut self.rounds);
        // Players of later rounds came before.
        let mut players: Vec<Player> = rounds.into_iter().rev().flatten().collect();
        while players.len() > 1 {
            players = self.play(keys, players)?;
        }
        Ok(players.pop())
    }

    /// The winner among the winners of contests, in the order of their values; None if nobody came.
    pub(super) fn finish(
        keys: &ServerKeys,
        mut contests: Vec<Self>,
    ) -> Result<Option<Player>, Error> {
        let winners = contests
            .iter_mut()
            .filter_map(|contest| contest.winner(keys).transpose());
        let winners: Vec<Player> = winners.collect::<Result<_, _>>()?;
        let Some(contest) = contests.first_mut() else {
            return Ok(None);
        };
        contest.enter(0, winners);
        let mut last: Vec<Player> = contest.winner(keys)?.into_iter().collect();
        contest.turn_signs(keys, &mut last)?;
        Ok(last.pop())
    }
}

impl Player {
    fn joined(self) -> Vec<Digit> {
        self.value.into_iter().chain(self.place).collect()
    }
}

fn pairs(players: Vec<Player>) -> Vec<(Player, Player)> {
    let mut players = players.into_iter();
    std::iter::from_fn(|| players.next().zip(players.next())).collect()
}

/// Differences of single blocks.
fn differences(from: &[Digit], subtrahend: &[Digit]) -> Vec<Block> {
    let blocks = from.iter().zip(subtrahend);
    let difference = |(one, other): (&Digit, &Digit)| one.block().plus(&other.block(), -1);
    blocks.map(difference).collect()
}

/// Columns of differences, within -15 to 15: two blocks each where the noise of all admits it, or one, the lowest first.
fn columns(differences: Vec<Vec<Block>>) -> Vec<Vec<Block>> {
    let blocks = differences.first().map_or(0, Vec::len);
    let mut columns = Vec::new();
    let mut at = 0;
    while at < blocks {
        let low: Vec<Block> = differences.iter().map(|all| all[at].clone()).collect();
        let both = differences
            .iter()
            .filter_map(|all| Some(all[at].clone().plus(all.get(at + 1)?, 4)));
        let both: Vec<Block> = both.collect();
        let fits = !both.is_empty() && both.iter().all(|sum| sum.level() <= MOST);
        at += if fits { 2 } else { 1 };
        columns.push(if fits { both } else { low });
    }
    columns
}
