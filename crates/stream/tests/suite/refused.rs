//! Refusals of a stream, by the field that is wrong.

use std::path::Path;
use std::sync::Arc;

use isopod_disk::{Disk, SimulatedDisk};
use isopod_stream::{Error, Judgement, Partition, RefusedRecord};

use super::topic::{partition, Reader, Topic, COUNT};

fn opened(topic: &Topic) -> (Reader<'_>, SimulatedDisk) {
    let simulated = SimulatedDisk::new(1);
    let disk: Arc<dyn Disk> = Arc::new(simulated.clone());
    let mut reader = Reader::new(topic, &disk).unwrap();
    reader.assign_all().unwrap();
    (reader, simulated)
}

#[test]
fn another_number_of_partitions_is_refused_with_the_remedy() {
    let topic = Topic::new(&[0]);
    let (mut reader, _) = opened(&topic);
    reader.finish().unwrap();
    let refused = reader
        .stream
        .assign(&[partition(1)], COUNT + 1)
        .unwrap_err();
    let said = refused.to_string();
    assert!(
        said.starts_with("partitions: topic frames has 6; allowed are 5"),
        "{said}"
    );
    assert!(
        said.contains("Make a new topic with 6 partitions"),
        "{said}"
    );
    assert_eq!(reader.stream.partitions().count(), 0);
    // A topic of another name may have any.
    let other = Partition {
        topic: "frames2".to_owned(),
        number: 0,
    };
    assert_eq!(reader.stream.assign(&[other], 1).unwrap(), [0]);
}

#[test]
fn a_device_has_one_partition() {
    let topic = Topic::new(&[0]);
    let (reader, _) = opened(&topic);
    assert_eq!(reader.stream.misplaced(&partition(1), 1), None);
    let said = reader.stream.misplaced(&partition(1), 2).unwrap();
    assert!(said.contains("that of device 2 among 5"), "{said}");
}

#[test]
fn frames_that_are_too_old_or_of_no_table_do_not_enter() {
    let topic = Topic::new(&[5, 100_000]);
    let (mut reader, _) = opened(&topic);
    let at = partition(1);
    let take = |reader: &mut Reader<'_>, name| {
        let frame = topic.frame(name);
        reader.stream.take(&at, 0, frame).unwrap()
    };
    assert_eq!(take(&mut reader, (1, 100_000)), Judgement::New);
    assert_eq!(take(&mut reader, (1, 100_000)), Judgement::Known);
    let Judgement::Stale(said) = take(&mut reader, (1, 5)) else {
        panic!("an old frame entered");
    };
    assert!(said.contains("sequence"), "{said}");
    let mut foreign = topic.frame((1, 5));
    foreign.key_id = [9; 16];
    let refused = reader.stream.take(&at, 0, foreign).unwrap_err();
    assert!(matches!(refused, Error::WithoutTable(_)), "{refused}");
    let unassigned = Partition {
        topic: "frames".to_owned(),
        number: 99,
    };
    let refused = reader.stream.take(&unassigned, 0, topic.frame((1, 5)));
    assert!(matches!(refused, Err(Error::Unassigned(_))));
}

fn record(offset: i64) -> RefusedRecord {
    RefusedRecord {
        partition: partition(1),
        offset,
        time: 17,
        reason: "kind: not of a frame".to_owned(),
        bytes: vec![0xab; 100_000],
    }
}

#[test]
fn a_flood_of_refused_records_takes_neither_memory_nor_time() {
    let topic = Topic::new(&[0]);
    let (mut reader, disk) = opened(&topic);
    let kept = (0..5_000).filter(|at| reader.stream.refuse(|| record(*at)));
    assert_eq!(kept.count(), 100);
    assert!(reader.stream.waiting_bytes() <= 100 * 100_000);
    let committed = reader.stream.commit().unwrap();
    assert_eq!((committed.refused, committed.passed_over), (100, 4_900));
    let folder = format!("/tables/quarantine/frames-{}", partition(1).number);
    assert_eq!(disk.list(Path::new(&folder)).unwrap().len(), 100);
    assert_eq!(reader.stream.commit().unwrap().passed_over, 0);
}

#[test]
fn refused_records_are_kept_by_partition_and_offset_up_to_a_number() {
    let topic = Topic::new(&[0]);
    let (mut reader, disk) = opened(&topic);
    for offset in [3, 10_003, 4] {
        assert!(reader.stream.refuse(|| record(offset)));
    }
    assert_eq!(reader.stream.commit().unwrap().refused, 3);
    let folder = format!("/tables/quarantine/frames-{}", partition(1).number);
    let kept = disk.list(Path::new(&folder)).unwrap();
    assert_eq!(kept.len(), 2, "{kept:?}");
    let content = isopod_disk::read(&disk, &kept[0], 1 << 20).unwrap();
    let line: Vec<u8> = content
        .iter()
        .copied()
        .take_while(|byte| *byte != b'\n')
        .collect();
    let said: serde_json::Value = serde_json::from_slice(&line).unwrap();
    assert_eq!(said["offset"], 10_003);
    assert_eq!(said["reason"], "kind: not of a frame");
    assert_eq!(said["bytes"], 100_000);
    assert_eq!(content.len(), line.len() + 1 + (64 << 10));
}
