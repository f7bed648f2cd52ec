//! Counts of items that nobody reads one by one: by kind, set and key, in bounded memory.

use std::collections::BTreeMap;

use isopod_keys::DeviceNumbers;
use serde_json::{json, Map, Value};

use crate::output::table::TextTable;

/// Most groups of their own; items of further ones are counted together, under an empty key.
const MOST_GROUPS: usize = 64;
/// Most spans of device numbers in memory, about 64 MB; beyond them devices are counted no more.
const MOST_SPANS: usize = 1 << 20;
/// Digits of a key in the table; JSON has all.
const DIGITS: usize = 8;

/// Kind, set and key, which the items of a group have in common.
type Common = (String, String, String);

/// A place in a source: number of the item, and its first byte.
#[derive(Debug, Clone, Copy)]
pub struct ItemPosition {
    /// Number of the item, from 0.
    pub item: u64,
    /// Its first byte.
    pub byte: u64,
}

/// Items that are not what they should be.
#[derive(Debug, Default)]
struct Bad {
    count: u64,
    first: Option<(ItemPosition, String)>,
}

/// One group.
#[derive(Debug, Default)]
struct Group {
    items: u64,
    frames: u64,
    bytes: u64,
    devices: DeviceNumbers,
    more_devices: bool,
    epochs: Option<(u64, u64)>,
    verified: u64,
    bad: Bad,
}

/// Groups of items.
#[derive(Debug, Default)]
pub struct Counts {
    groups: BTreeMap<Common, Group>,
    total: u64,
}

impl Counts {
    /// Number of items.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Counts an item by its facts. `problem` says why it is bad.
    pub fn add(&mut self, place: ItemPosition, facts: &Map<String, Value>, problem: Option<&str>) {
        self.total += 1;
        let group = self.group(facts);
        let number = |name: &str| facts.get(name).and_then(Value::as_u64);
        group.items += 1;
        group.bytes += number("bytes").unwrap_or(0);
        if let Some(problem) = problem {
            group.bad.count += 1;
            let first = &mut group.bad.first;
            first.get_or_insert_with(|| (place, problem.to_owned()));
            return;
        }
        group.verified += u64::from(facts.get("authenticity") == Some(&"verified".into()));
        if let (Some(device), Some(epoch)) = (number("device"), number("epoch")) {
            group.frames += u64::from(number("part").unwrap_or(0) == 0);
            group.device(device);
            let (least, most) = group.epochs.unwrap_or((epoch, epoch));
            group.epochs = Some((least.min(epoch), most.max(epoch)));
        }
    }

    fn group(&mut self, facts: &Map<String, Value>) -> &mut Group {
        let text = |name: &str| facts.get(name).and_then(Value::as_str).unwrap_or_default();
        let set = match text("set") {
            "" => text("fits_sets"),
            set => set,
        };
        let common = (text("item").into(), set.to_owned(), text("key").to_owned());
        let known = self.groups.contains_key(&common) || self.groups.len() < MOST_GROUPS;
        let common = match known {
            true => common,
            false => ("others".to_owned(), String::new(), String::new()),
        };
        self.groups.entry(common).or_default()
    }

    /// The groups for programs.
    pub fn facts(&self) -> Value {
        let groups = self.groups.iter().map(|((item, set, key), group)| {
            json!({"item": item, "set": set, "key": key, "items": group.items, "frames": group.frames,
                "bytes": group.bytes, "devices": group.devices.count() as u64, "more_devices": group.more_devices,
                "epochs": group.epochs.map(|(least, most)| [least, most]), "verified": group.verified,
                "bad": group.bad.count, "first_bad": group.bad.first.as_ref().map(|(place, problem)|
                    json!({"item": place.item, "byte": place.byte, "problem": problem}))})
        });
        groups.collect()
    }

    /// The groups for people.
    pub fn text(&self) -> String {
        let columns = [
            "item",
            "set",
            "key",
            "items",
            "frames",
            "bytes",
            "devices",
            "epochs",
            "verified",
            "bad",
            "first bad",
        ];
        let mut table = TextTable::new(&columns);
        for ((item, set, key), group) in &self.groups {
            let short = key.get(..DIGITS).unwrap_or(key);
            let mut row = vec![item.clone(), set.clone(), short.to_owned()];
            row.extend(group.cells());
            table.row(row);
        }
        table.text()
    }
}

impl Group {
    fn device(&mut self, device: u64) {
        if self.devices.span_count() < MOST_SPANS || self.devices.contains(device) {
            self.devices.insert(device);
        } else {
            self.more_devices = true;
        }
    }

    fn cells(&self) -> Vec<String> {
        let more = if self.more_devices { "+" } else { "" };
        let epochs = self
            .epochs
            .map_or(String::new(), |(least, most)| match least == most {
                true => least.to_string(),
                false => format!("{least}-{most}"),
            });
        let first = self.bad.first.as_ref();
        vec![
            self.items.to_string(),
            self.frames.to_string(),
            self.bytes.to_string(),
            format!("{}{more}", self.devices.count()),
            epochs,
            self.verified.to_string(),
            self.bad.count.to_string(),
            first.map_or(String::new(), |(place, _)| {
                format!("{} at byte {}", place.item, place.byte)
            }),
        ]
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{json, Map, Value};

    use super::{Counts, ItemPosition, MOST_GROUPS};

    fn part(device: u64, key: &str) -> Map<String, Value> {
        let part = json!({"item": "part", "set": "s", "key": key, "bytes": 10, "device": device, "epoch": device / 4,
            "part": device % 2});
        match part {
            Value::Object(map) => map,
            _ => Map::new(),
        }
    }

    #[test]
    fn groups_count_devices_epochs_and_what_is_bad() {
        let mut counts = Counts::default();
        for item in 0..10 {
            let place = ItemPosition {
                item,
                byte: 10 * item,
            };
            counts.add(place, &part(item, "k"), (item > 7).then_some("torn"));
        }
        let group = &counts.facts()[0];
        assert_eq!(
            (&group["items"], &group["frames"], &group["devices"]),
            (&10.into(), &4.into(), &8.into())
        );
        assert_eq!(
            (&group["epochs"], &group["bytes"]),
            (&json!([0, 1]), &100.into())
        );
        let first = json!({"item": 8, "byte": 80, "problem": "torn"});
        assert_eq!((&group["bad"], &group["first_bad"]), (&2.into(), &first));
        assert!(counts.text().contains("8 at byte 80"));
    }

    #[test]
    fn keys_without_number_stay_bounded() {
        let mut counts = Counts::default();
        for item in 0..1000 {
            counts.add(
                ItemPosition { item, byte: 0 },
                &part(1, &item.to_string()),
                None,
            );
        }
        let groups = counts.facts();
        assert_eq!(groups.as_array().map(Vec::len), Some(MOST_GROUPS + 1));
        assert_eq!(counts.total(), 1000);
    }
}
