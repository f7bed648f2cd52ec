//! Readings: bounds, models, buckets, and how rows lie in frames.
#![allow(clippy::unwrap_used)]

use isopod_wire::{by_name, AnySet};
use isopod_workflow::{Message, Model, Packing, Readings};

fn readings(rows: &[&[f64]]) -> Readings<f64> {
    let names = ["a", "b", "c"];
    Readings {
        columns: names[..rows[0].len()]
            .iter()
            .map(ToString::to_string)
            .collect(),
        rows: rows.iter().map(|row| row.to_vec()).collect(),
    }
}

#[test]
fn bounds_name_row_column_and_range() {
    let values = readings(&[&[1.0, 8.0], &[-8.5, 0.0]]);
    let error = values.check_bound(3).unwrap_err().to_string();
    let wanted = "row 2, column a: -8.5 is out of range; allowed is -8 to 8";
    assert_eq!(error, wanted);
    assert!(values.check_bound(4).is_ok());
    let refused = |value| {
        let values = readings(&[&[1.0, -6144.0], &[value, 0.0]]);
        let set = by_name("bfv-1024x1-count").unwrap();
        values.check_set(set).unwrap_err().to_string()
    };
    let wanted = "row 2, column a: -8.5 is no integer; allowed under this set are integers";
    assert_eq!(refused(-8.5), wanted);
    let wanted =
        "row 2, column a: 6145 is out of range; allowed under bfv-1024x1-count is -6144 to 6144";
    assert_eq!(refused(6145.0), wanted);
    let real = by_name("ckks-1024x1-sum").unwrap();
    assert!(values.check_set(real).is_ok());
}

#[test]
fn a_model_standardises() {
    let text = r#"{"kind":"linear","features":["a","b"],"mean":[1,0],"scale":[2,1],"weights":[1,1],"bias":0}"#;
    let model = Model::from_json(text).unwrap();
    let values = readings(&[&[7.0, 5.0]]).standardise(&model).unwrap();
    assert_eq!(values.rows, [[3.0, 5.0]]);
    let huge = readings(&[&[f64::MAX, 0.0]]);
    let tiny =
        r#"{"kind":"linear","features":["a","b"],"scale":[1e-9,1],"weights":[1,1],"bias":0}"#;
    let error = huge.standardise(&Model::from_json(tiny).unwrap());
    let error = error.unwrap_err().to_string();
    assert_eq!(error, "row 1, column a: not finite once standardised");
}

#[test]
fn buckets_are_one_hot() {
    let values = readings(&[&[-1.0], &[10.0]]).one_hot(&[0.0, 10.0]).unwrap();
    assert_eq!(values.columns, ["a/0", "a/1", "a/2", "a/3"]);
    assert_eq!(values.rows, [[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]]);
    let error = readings(&[&[1.0]]).one_hot(&[3.0, 3.0]).unwrap_err();
    assert!(error.to_string().starts_with("buckets: the edges must"));
}

#[test]
fn rows_lie_a_power_of_two_apart() {
    let packing = Packing::new(3, 16, None).unwrap();
    assert_eq!(packing, Packing { rows: 4, stride: 4 });
    let rows: Vec<Vec<f64>> = (0..5).map(|row| vec![f64::from(row); 3]).collect();
    let rows: Vec<&[f64]> = rows.iter().map(|row| &row[..]).collect();
    let set = AnySet::by_name("ckks-1024x1-sum").unwrap().rns().unwrap();
    let messages = readings(&rows).messages(set, packing);
    let first = [0., 0., 0., 0., 1., 1., 1., 0., 2., 2., 2., 0., 3., 3., 3.];
    assert_eq!(messages[0], Message::Real(first.to_vec()));
    assert_eq!(messages[1], Message::Real(vec![4., 4., 4.]));
}

#[test]
fn filled_rows_leave_places_free() {
    let packing = |columns, rows| Packing::filled(columns, 16, rows);
    assert_eq!(packing(3, None).unwrap(), Packing { rows: 4, stride: 4 });
    // Behind the last row nothing has to be free.
    assert_eq!(
        packing(9, None).unwrap(),
        Packing {
            rows: 1,
            stride: 16
        }
    );
    assert_eq!(packing(4, Some(2)).unwrap(), Packing { rows: 2, stride: 4 });
    assert_eq!(
        Packing::dense(3, 16, None).unwrap(),
        Packing { rows: 5, stride: 3 }
    );
    for (columns, rows, wanted) in [
        (17, None, "values: 17 columns; allowed are 1 to 16"),
        (0, None, "values: 0 columns; allowed are 1 to 16"),
        (
            3,
            Some(5),
            "rows_per_frame: 5 is out of range; allowed is 1 to 4 for 3 columns",
        ),
    ] {
        let refusal = packing(columns, rows).unwrap_err().to_string();
        assert!(refusal.starts_with(wanted), "{refusal}");
    }
}

#[test]
fn limits_are_named() {
    assert_eq!(Packing::new(16, 16, None).unwrap().rows, 1);
    let refused = |columns, rows| Packing::new(columns, 16, rows).unwrap_err().to_string();
    let wanted = "values: 17 columns; allowed are 1 to 16 for this set";
    assert_eq!(refused(17, None), wanted);
    assert!(refused(5, Some(3)).contains("3 is out of range; allowed is 1 to 2"));
}
