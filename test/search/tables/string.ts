/** https://hl7.org/fhir/R4/search.html#string */
import type { Table } from './table.ts'

const patient = (...name: readonly object[]) => ({ resourceType: 'Patient', name })
const given = (text: string) => patient({ given: [text] })

export const string: Table = {
  name: 'string',
  resources: [
    ...['Eve', 'eve', 'EVE', 'Evelyn', 'Severine', 'Ève', 'Adam'].map(given),
    // 7 to 10
    patient({ family: "O'Neil-Smith", given: ['Ada', 'Eve'], prefix: ['Dr.'] }),
    patient({ family: 'van der Berg', text: 'Prof. Jan van der Berg' }),
    patient({ family: 'Müller' }, { family: 'Núñez', use: 'old' }),
    patient({ family: 'a,b|c$d\\e' }),
    {
      resourceType: 'Patient',
      address: [{ line: ['12 Main St.', 'Apt. 4'], city: 'São Paulo', postalCode: '01310-100', country: 'BR' }],
    },
    patient({ use: 'usual' }),
    // 13
    patient({ family: 'Carreno Quiñones', given: ['María José'], text: 'María José Carreno Quiñones' }),
    { resourceType: 'Organization', name: 'Clinic of Saint Anne' },
    // 15 to 26: letters that are not a plain letter with an accent, and an accent that is a character of its own
    ...['Groß', 'Łukasz', 'Søren', 'Æbeltoft', 'Đorđe', 'Œuvrard', 'Þórdís', 'Yıldız', 'Guðrún', 'STRAẞE'].map(given),
    ...['Zoe\u0308', 'Zo\u00eb'].map(given),
  ],
  rows: [
    // R4: "Any patients with a name containing a given part with 'eve' at the start of the name".
    ['Patient?given=eve', [0, 1, 2, 3, 5, 7]],
    // "... anywhere in the name": Severine too.
    ['Patient?given:contains=eve', [0, 1, 2, 3, 4, 5, 7]],
    // "This would include patients with the given name 'Eve', but not 'eve' or 'EVE'".
    ['Patient?given:exact=Eve', [0, 7]],
    ['Patient?given:exact=Ève', [5]],
    ['Patient?given=ÈVE', [0, 1, 2, 3, 5, 7]],
    ['Patient?given=ada,adam', [6, 7]],
    ['Patient?given=ada&given=eve', [7]],
    ['Patient?given=severine&given=adam', []],
    ['Patient?given=lyn', []],
    ['Patient?name=dr', [7]],
    ['Patient?name=prof', [8]],
    ['Patient?name=van der', [8]],
    // R4: "searching either 'Carreno' or 'Quinones' should match a family name of 'Carreno Quinones'".
    ['Patient?family=carreno', [13]],
    ['Patient?family=quinones', [13]],
    ['Patient?family=Quiñ', [13]],
    ['Patient?family=carreno quin', [13]],
    ['Patient?family=inones', []],
    ['Patient?family=quinones carreno', []],
    ['Patient?family=smith', [7]],
    ['Patient?given=jose', [13]],
    ['Patient?name=jose carr', [13]],
    ['Patient?name=berg', [8]],
    ['Patient?address=main', [11]],
    ['Patient?address-city=paulo', [11]],
    ['Patient?address=street', []],
    // Whole values alone.
    ['Patient?family:exact=Quiñones', []],
    ['Patient?_filter=family eq quinones', []],
    ['Patient?_filter=family sw quinones', []],
    ['Patient?_filter=family eq "Carreno Quinones"', [13]],
    ...(
      [
        ['GROSS', 15],
        ['groß', 15],
        ['lukasz', 16],
        ['ŁUKASZ', 16],
        ['Soren', 17],
        ['aebel', 18],
        ['Dorde', 19],
        ['oeuvrard', 20],
        ['thordis', 21],
        ['yildiz', 22],
        ['YILDIZ', 22],
        ['Gudrun', 23],
        ['strasse', 24],
        ['Straße', 24],
      ] as const
    ).map(([text, at]) => [`Patient?given=${text}`, [at]] as const),
    ['Patient?given:contains=ROSS', [15]],
    ['Patient?given=zoe', [25, 26]],
    ['Patient?given:exact=Zo\u00eb', [25, 26]],
    ['Patient?given:exact=Zoe\u0308', [25, 26]],
    ['Patient?given:exact=Gross', []],
    // Not a name of a person, nor an address.
    ['Organization?name=clinic of', [14]],
    ['Organization?name=saint', []],
    ['?_type=Patient,Organization&name=quinones', [13]],
    ['?_type=Patient,Organization&name=cl,carr', [13, 14]],
    ['Patient?name=eve', [0, 1, 2, 3, 5, 7]],
    ['Patient?family=oneil', [7]],
    ['Patient?family=oneilsm', [7]],
    ['Patient?name=oneil&name=smith', [7]],
    ["Patient?family=o'ne", [7]],
    ['Patient?family:exact=oneil', []],
    ['Patient?family=o neil', [7]],
    ["Patient?family=O'NEIL", [7]],
    ['Patient?family:contains=smith', [7]],
    ['Patient?family=muller', [9]],
    ['Patient?family=nun&family=mul', [9]],
    ['Patient?family:exact=a\\,b\\|c\\$d\\\\e', [10]],
    ['Patient?family=a\\,b', [10]],
    ['Patient?address=sao', [11]],
    ['Patient?address=apt 4', [11]],
    ['Patient?address-city:exact=São Paulo', [11]],
    ['Patient?address-postalcode=01310', [11]],
    ['Patient?family:missing=false', [7, 8, 9, 10, 13]],
    ['Patient?name:missing=true', [11]],
    ['Patient?phonetic=Eva', [0, 1, 2, 5, 7]],
    ['Patient?phonetic=Smyth', [7]],
    ['Patient?phonetic=Adda Smit', [7]],
    ['Patient?phonetic=Smyth,Muler', [7, 9]],
    ['Patient?phonetic=Smyth Muler', []],
    ['Patient?phonetic:missing=true', [11]],
    ['Patient?_filter=phonetic eq Smyth', [7]],
  ],
}
