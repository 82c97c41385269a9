/** https://hl7.org/fhir/R4/search.html#token */
import { concept, LOINC, type Table } from './table.ts'

const V2 = 'http://terminology.hl7.org/CodeSystem/v2-0203'
const GENDER = 'http://hl7.org/fhir/administrative-gender'
const ACME = 'http://acme.org/patient'
const CONDITIONS = 'http://acme.org/conditions/codes'
const VERIFICATION = 'http://terminology.hl7.org/CodeSystem/condition-ver-status'

const patient = (more: object) => ({ resourceType: 'Patient', ...more })
const typed = (code: string, value: string) => ({ type: concept(V2, code), value })
const condition = (more: object) => ({ resourceType: 'Condition', subject: { display: 'x' }, ...more })

export const token: Table = {
  name: 'token',
  resources: [
    patient({ identifier: [{ system: ACME, value: '2345' }], gender: 'male', active: true }),
    patient({ identifier: [{ value: '2345' }], gender: 'female', active: false }),
    patient({ identifier: [{ system: 'urn:other', value: '2345' }, typed('MR', '446053')] }),
    patient({ identifier: [typed('MR', '1'), typed('SS', '446053')], gender: 'other' }),
    patient({ identifier: [{ system: ACME, value: 'a|b,c' }], deceasedDateTime: '2020' }),
    patient({ telecom: [{ system: 'phone', value: '+1 (555) 010-0199' }], deceasedBoolean: false }),
    patient({
      telecom: [{ system: 'email', value: 'Ada@Example.org' }],
      communication: [{ language: { text: 'Klingon' } }],
    }),
    // 7 to 9
    condition({ code: concept(CONDITIONS, 'ha125', 'Headache, severe') }),
    condition({ code: { coding: [{ code: 'ha125', display: 'Headache' }] } }),
    condition({ code: concept(LOINC, 'ha125') }),
    // 10 to 13: confirmed is above none, provisional and differential below unconfirmed
    ...['unconfirmed', 'provisional', 'differential', 'refuted'].map((code) =>
      condition({ verificationStatus: concept(VERIFICATION, code) }),
    ),
    // 14 to 17: telephone numbers, an e-mail and an identifier with a plus
    ...['020 7946 0958', '+44 20 7946 0959', '+39 06 698 12345'].map((value) =>
      patient({ telecom: [{ system: 'phone', value }] }),
    ),
    patient({
      telecom: [{ system: 'email', value: 'jo+news@example.org' }],
      identifier: [{ system: ACME, value: 'p+q' }],
    }),
  ],
  rows: [
    ['Patient?identifier=2345', [0, 1, 2]],
    [`Patient?identifier=${ACME}|2345`, [0]],
    ['Patient?identifier=|2345', [1]],
    [`Patient?identifier=${ACME}|`, [0, 4, 17]],
    [`Patient?identifier=${ACME}|a\\|b\\,c`, [4]],
    ['Patient?identifier=234', []],
    // Case does not count in identifiers, nor in codes of systems that are not declared case-sensitive.
    [`Patient?identifier=${ACME}|A\\|B\\,C`, [4]],
    ['Condition?code=HA125', [7, 8, 9]],
    [`Condition?code=${CONDITIONS}|Ha125`, [7]],
    ['Condition?code=|HA125', [8]],
    [`Condition?verification-status=${VERIFICATION}|Refuted`, []],
    ['Condition?_filter=code eq HA125', [7, 8, 9]],
    ['Patient?gender=male', [0]],
    [`Patient?gender=${GENDER}|male`, [0]],
    ['Patient?gender=|male', []],
    ['Patient?gender=Male', []],
    ['Patient?gender=male,female', [0, 1]],
    // R4: "any patient that does not have a gender of male or female", those without any too.
    ['Patient?gender:not=male', [1, 2, 3, 4, 5, 6, 14, 15, 16, 17]],
    ['Patient?gender:not=male,female', [2, 3, 4, 5, 6, 14, 15, 16, 17]],
    ['Patient?gender:missing=false', [0, 1, 3]],
    ['Patient?gender:in=http://hl7.org/fhir/ValueSet/administrative-gender', [0, 1, 3]],
    ['Patient?gender:not-in=http://hl7.org/fhir/ValueSet/administrative-gender', [2, 4, 5, 6, 14, 15, 16, 17]],
    ['Patient?active=true', [0]],
    ['Patient?active:not=true', [1, 2, 3, 4, 5, 6, 14, 15, 16, 17]],
    ['Patient?deceased=true', [4]],
    ['Patient?deceased=false', [0, 1, 2, 3, 5, 6, 14, 15, 16, 17]],
    [`Patient?identifier:of-type=${V2}|MR|446053`, [2]],
    [`Patient?identifier:of-type=${V2}|SS|446053`, [3]],
    ['Patient?phone=15550100199', [5]],
    ['Patient?phone=5550100199', [5]],
    ['Patient?phone=05550100199', [5]],
    ['Patient?phone=+445550100199', []],
    ['Patient?phone=0100199', []],
    ['Patient?_filter=phone ew "0100199"', [5]],
    ['Patient?_filter=phone ew "010-01 99"', [5]],
    ['Patient?_filter=phone sw "555010"', [5]],
    ['Patient?_filter=phone sw "+1 555"', [5]],
    ['Patient?_filter=phone sw "0100"', []],
    ['Patient?_filter=telecom ew "0958"', [14]],
    ['Patient?_filter=email sw "ADA@"', [6]],
    ['Patient?_filter=identifier ew "45"', [0, 1, 2]],
    ['Patient?_filter=identifier sw "A|B"', [4]],
    ['Patient?_filter=identifier ew "+Q"', [17]],
    ['Patient?_filter=not (identifier ew "5") and identifier pr true', [3, 4, 17]],
    ['Patient?phone=+15550100199', [5]],
    ['Patient?telecom=phone|+1-555-010-0199', [5]],
    ['Patient?telecom=ada@example.org', [6]],
    // With a country code and without, and the zero that is dialled within the country.
    ['Patient?phone=+442079460958', [14]],
    ['Patient?phone=442079460958', []],
    ['Patient?phone=02079460959', [15]],
    ['Patient?phone=2079460959', [15]],
    ['Patient?phone=(020) 7946-0959', [15]],
    ['Patient?phone=0669812345', [16]],
    ['Patient?phone=+390669812345', [16]],
    ['Patient?phone=+12079460959', []],
    ['Patient?phone=9460959', []],
    ['Patient?telecom=phone|02079460959', [15]],
    ['Patient?telecom=email|02079460959', []],
    ['Patient?email=jo news@example.org', [17]],
    [`Patient?identifier=${ACME}|p q`, [17]],
    ['Patient?language:text=kling', [6]],
    ['Patient?language=Klingon', []],
    ['Condition?code=ha125', [7, 8, 9]],
    [`Condition?code=${CONDITIONS}|ha125`, [7]],
    ['Condition?code=|ha125', [8]],
    // R4: "code:text=headache" searches the text of the concept and the displays of its codings.
    ['Condition?code:text=headache', [7, 8]],
    ['Condition?code:text=severe', []],
    [`Condition?verification-status:below=${VERIFICATION}|unconfirmed`, [10, 11, 12]],
    [`Condition?verification-status:above=${VERIFICATION}|provisional`, [10, 11]],
    [`Condition?verification-status:not=refuted,provisional`, [7, 8, 9, 10, 12]],
  ],
}
