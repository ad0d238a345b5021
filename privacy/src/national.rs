//! Numbers by which states know people, told by their form and their check digits.
//!
//! What a form says depends on how easily another number has it. A tax code of letters, a date and a check letter is that
//! and nothing else; nine digits of which the last fits pass by chance one time in eleven, and a register of companies may
//! use the same sum. So each form has the chance with which a number of its length passes, and forms that pass easily
//! count only where people are meant. Invariant: a form is a pure function of one value.

mod numbers;
mod text;

use numbers::{
    afm, ahv, amka, baltic, bsn, cedula, cnp, codice_fiscale, cpf, cuit, curp, dni, dowod, egn, fodselsnummer, hetu,
    inn, insured, is_cpr, jmbg, mbi, nhs, nif, nino, nir, pan, passes_mod_11_10, pension, personnummer, pesel, pps,
    rfc, rijksregister, rnokpp, rodne_cislo, rut, snils, social_security, steuer_id, taj, tckn, verhoeff,
};

pub(crate) use numbers::passes_luhn;
pub(crate) use text::Text;

/// A form of a state's number.
#[derive(Clone, Copy)]
pub(crate) struct Form {
    /// For a sentence: `values look like …`.
    pub(crate) name: &'static str,
    pub(crate) matches: fn(&Text) -> bool,
    /// How often a number or text of the same length passes by chance.
    pub(crate) chance: f64,
}

/// The letters and dates alone say what these are.
pub(crate) const TELLING: &[Form] = &[
    Form { name: "US social security numbers", matches: social_security, chance: 0.001 },
    Form { name: "Italian tax codes", matches: codice_fiscale, chance: 0.0001 },
    Form { name: "Spanish identity numbers", matches: dni, chance: 0.043 },
    Form { name: "Finnish identity codes", matches: hetu, chance: 0.001 },
    Form { name: "Mexican population codes", matches: curp, chance: 0.0001 },
    Form { name: "Mexican tax codes", matches: rfc, chance: 0.01 },
    Form { name: "UK national insurance numbers", matches: nino, chance: 0.01 },
    Form { name: "German pension numbers", matches: pension, chance: 0.01 },
    Form { name: "Irish service numbers", matches: pps, chance: 0.043 },
    Form { name: "Indian tax numbers", matches: pan, chance: 0.01 },
    Form { name: "US Medicare numbers", matches: mbi, chance: 0.001 },
    Form { name: "Swiss insurance numbers", matches: ahv, chance: 0.0001 },
    Form { name: "Brazilian tax numbers", matches: cpf, chance: 0.01 },
    Form { name: "Swedish personal numbers", matches: personnummer, chance: 0.004 },
    Form {
        name: "Danish personal numbers",
        matches: |text| text.is_written("000000-0000") && is_cpr(text),
        chance: 0.03,
    },
    Form { name: "Norwegian birth numbers", matches: fodselsnummer, chance: 0.001 },
    Form { name: "Czech and Slovak birth numbers", matches: rodne_cislo, chance: 0.014 },
    Form { name: "Polish population numbers", matches: pesel, chance: 0.02 },
    Form { name: "Romanian personal codes", matches: cnp, chance: 0.003 },
    Form { name: "Bulgarian citizen numbers", matches: egn, chance: 0.012 },
    Form { name: "Baltic personal codes", matches: baltic, chance: 0.004 },
    Form { name: "unique citizen numbers", matches: jmbg, chance: 0.003 },
    Form { name: "Greek insurance numbers", matches: amka, chance: 0.004 },
    Form { name: "French insurance numbers", matches: nir, chance: 0.001 },
    Form { name: "Belgian register numbers", matches: rijksregister, chance: 0.001 },
    Form { name: "Chilean identity numbers", matches: rut, chance: 0.091 },
    Form { name: "Argentine tax numbers", matches: cuit, chance: 0.004 },
    Form { name: "Turkish identity numbers", matches: tckn, chance: 0.01 },
    Form { name: "Russian insurance numbers", matches: snils, chance: 0.01 },
    Form {
        name: "Dominican identity numbers",
        matches: |text| text.is_written("000-0000000-0") && passes_luhn(&text.digits),
        chance: 0.1,
    },
];

/// These pass by chance too often to count without people.
pub(crate) const OF_PEOPLE: &[Form] = &[
    Form { name: "German tax numbers", matches: steuer_id, chance: 0.02 },
    Form {
        name: "Croatian personal numbers",
        matches: |text| text.digits.len() == 11 && passes_mod_11_10(&text.digits),
        chance: 0.1,
    },
    Form { name: "Dutch service numbers", matches: bsn, chance: 0.091 },
    Form { name: "Portuguese tax numbers", matches: nif, chance: 0.091 },
    Form {
        name: "Canadian insurance numbers",
        matches: |text| text.digits.len() == 9 && !text.all_the_same() && passes_luhn(&text.digits),
        chance: 0.1,
    },
    Form { name: "NHS numbers", matches: nhs, chance: 0.091 },
    Form { name: "Danish personal numbers", matches: is_cpr, chance: 0.035 },
    Form { name: "Hungarian insurance numbers", matches: taj, chance: 0.1 },
    Form { name: "Russian tax numbers", matches: inn, chance: 0.01 },
    Form { name: "Ukrainian tax numbers", matches: rnokpp, chance: 0.1 },
    Form {
        name: "Indian identity numbers",
        matches: |text| text.digits.len() == 12 && text.digits[0] > 1 && verhoeff(&text.digits),
        chance: 0.1,
    },
    Form { name: "Ecuadorian identity numbers", matches: cedula, chance: 0.014 },
    Form { name: "Polish identity cards", matches: dowod, chance: 0.1 },
    Form { name: "German insured persons' numbers", matches: insured, chance: 0.1 },
    Form { name: "Greek tax numbers", matches: afm, chance: 0.1 },
];

#[cfg(test)]
mod tests {
    use super::{OF_PEOPLE, TELLING, Text};

    #[test]
    fn numbers_are_told_by_their_check_digits() {
        // Published examples, none of which belongs to anybody.
        for (form, value) in [
            ("US social security numbers", "078-05-1120"),
            ("Italian tax codes", "RSSMRA85T10A562S"),
            ("Spanish identity numbers", "12345678Z"),
            ("Spanish identity numbers", "X1234567L"),
            ("Finnish identity codes", "131052-308T"),
            ("UK national insurance numbers", "AB 12 34 56 C"),
            ("Swiss insurance numbers", "756.9217.0769.85"),
            ("Brazilian tax numbers", "529.982.247-25"),
            ("Swedish personal numbers", "811218-9876"),
            ("Danish personal numbers", "070761-4285"),
            ("Polish population numbers", "44051401359"),
            ("Romanian personal codes", "1800101221144"),
            ("Bulgarian citizen numbers", "7523169263"),
            ("Baltic personal codes", "37605030299"),
            ("unique citizen numbers", "0101006500006"),
            ("French insurance numbers", "2 55 08 14 168 025 38"),
            ("Belgian register numbers", "85.07.30-033.28"),
            ("Chilean identity numbers", "12.345.678-5"),
            ("Turkish identity numbers", "10000000146"),
            ("Russian insurance numbers", "112-233-445 95"),
            ("German tax numbers", "86095742719"),
            ("Croatian personal numbers", "33392005961"),
            ("Dutch service numbers", "111222333"),
            ("Canadian insurance numbers", "046 454 286"),
            ("NHS numbers", "943 476 5919"),
            ("Indian identity numbers", "2341 2341 2346"),
            ("Polish identity cards", "ABA300000"),
            ("German insured persons' numbers", "A123456780"),
        ] {
            let text = Text::of(value).unwrap();
            let forms = TELLING.iter().chain(OF_PEOPLE).filter(|known| known.name == form);
            assert!(forms.into_iter().any(|known| (known.matches)(&text)), "{form} {value}");
        }
    }

    #[test]
    fn no_form_passes_much_more_often_by_chance_than_it_says() {
        let mut state = 1_u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state >> 20
        };
        for length in [9_u32, 10, 11, 12, 13, 15] {
            let numbers: Vec<Text> = (0..4000)
                .map(|_| Text::of(&format!("{:0>1$}", next() % 10_u64.pow(length), length as usize)).unwrap())
                .collect();
            for form in TELLING.iter().chain(OF_PEOPLE) {
                let passed = numbers.iter().filter(|number| (form.matches)(number)).count();
                assert!(passed as f64 <= 4000.0 * form.chance * 1.4 + 12.0, "{} {length}: {passed}", form.name);
            }
        }
    }
}
