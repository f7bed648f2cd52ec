//! Power that is lost at any operation of the disk, and states that are lost.

use std::sync::Arc;

use isopod_disk::{Disk, Faults, Loss, SimulatedDisk};
use isopod_stream::Result;

use super::topic::{partition, rows, Reader, Topic, COUNT, TABLE};

const SEQUENCES: [u64; 9] = [0, 1, 1, 2, 0, 4, 3, 4, 5];

fn work(topic: &Topic, disk: &SimulatedDisk) -> Result<()> {
    let disk: Arc<dyn Disk> = Arc::new(disk.clone());
    let mut reader = Reader::new(topic, &disk)?;
    reader.assign_all()?;
    reader.finish()
}

#[test]
fn a_loss_of_power_at_any_operation_loses_and_doubles_nothing() {
    let topic = Topic::new(&SEQUENCES);
    let whole = SimulatedDisk::new(0);
    work(&topic, &whole).unwrap();
    let operations = whole.operations();
    assert!(operations > 50, "{operations}");
    for at in 0..operations {
        let disk = SimulatedDisk::new(at);
        disk.inject(Faults {
            power_after: Some(at),
            ..Faults::default()
        });
        assert!(work(&topic, &disk).is_err(), "operation {at}");
        disk.restart(if at % 3 == 0 {
            Loss::Process
        } else {
            Loss::Power
        });
        work(&topic, &disk).unwrap();
        let disk: Arc<dyn Disk> = Arc::new(disk);
        assert_eq!(rows(&topic, &disk), topic.expected(), "operation {at}");
    }
}

#[test]
fn a_state_that_is_missing_or_damaged_is_made_of_the_rows() {
    let topic = Topic::new(&SEQUENCES);
    for is_damaged in [false, true] {
        let simulated = SimulatedDisk::new(1);
        work(&topic, &simulated).unwrap();
        let files = simulated.files().into_iter().map(|(path, _)| path);
        let files: Vec<_> = files.collect();
        let states = files
            .iter()
            .filter(|path| path.starts_with("/tables/partitions"));
        let mut found = 0;
        for path in states {
            found += 1;
            match is_damaged {
                true => simulated.flip(path, 100).unwrap(),
                false => simulated.remove(path).unwrap(),
            }
        }
        assert!(found >= 2, "{found}");
        let disk: Arc<dyn Disk> = Arc::new(simulated);
        let mut reader = Reader::new(&topic, &disk).unwrap();
        reader.assign_all().unwrap();
        // Sent once more.
        for name in topic.expected() {
            let at = partition(name.0);
            reader.stream.take(&at, 1_000, topic.frame(name)).unwrap();
        }
        assert_eq!(reader.stream.commit().unwrap().frames, 0);
        assert_eq!(rows(&topic, &disk), topic.expected());
    }
}

#[test]
fn old_states_leave_and_a_partition_without_frames_goes_on() {
    let topic = Topic::new(&SEQUENCES);
    let simulated = SimulatedDisk::new(1);
    work(&topic, &simulated).unwrap();
    let disk: Arc<dyn Disk> = Arc::new(simulated.clone());
    let mut reader = Reader::new(&topic, &disk).unwrap();
    reader.assign_all().unwrap();
    // Records of others, beyond those that may be read again.
    reader.stream.passed(&partition(1), 9_000).unwrap();
    assert_eq!(reader.stream.commit().unwrap().frames, 0);
    let again = reader.stream.assign(&[partition(1)], COUNT).unwrap();
    assert_eq!(again, [9]);
    reader.stream.passed(&partition(1), 10_009).unwrap();
    reader.stream.commit().unwrap();
    let again = reader.stream.assign(&[partition(1)], COUNT).unwrap();
    assert_eq!(again, [10_009]);
    let files = simulated.files().into_iter().map(|(path, _)| path);
    let files: Vec<_> = files.collect();
    let states = files
        .iter()
        .filter(|path| path.starts_with("/tables/partitions"));
    assert!(states.count() <= 4);
    assert!(files.iter().any(|path| path.starts_with(TABLE)));
}
