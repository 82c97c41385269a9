import { describe } from '@jest/globals'
import { parseJson } from '../../src/fhir/json.ts'
import { observation, patient, type Refusal, refuses } from '../support/refusals.ts'

const quantity = (value: unknown) => observation({ valueQuantity: { value } })
const withExtension = (name: string, value: unknown) =>
  patient({ extension: [{ url: 'http://example.org/x', [name]: value }] })
const primitive = (name: string, value: unknown, said: string): Refusal => [
  `${name} of ${JSON.stringify(value)}`,
  withExtension(name, value),
  'value',
  'Patient.extension[0].value',
  said,
]

const PRIMITIVES: readonly Refusal[] = [
  primitive('valueBoolean', 'true', 'must be true or false, without quotes (boolean); got a string'),
  primitive('valueString', '', 'got an empty string'),
  primitive('valueString', 5, 'must be text'),
  primitive('valueString', 'bell \u0007', 'no control characters'),
  primitive('valueString', 'half a pair \ud800', 'must be text'),
  primitive('valueString', 'x'.repeat(1_048_577), 'at most 1,048,576 characters'),
  primitive('valueMarkdown', '', 'must be text'),
  primitive('valueCode', ' a', 'no spaces at the ends'),
  primitive('valueCode', 'a  b', 'single ones between'),
  primitive('valueId', 'a_b', 'must be an id: 1 to 64'),
  primitive('valueId', 'x'.repeat(65), 'must be an id'),
  primitive('valueUri', 'http://a b', 'without spaces'),
  primitive('valueUrl', '', 'must be a URI'),
  primitive('valueCanonical', 'a b', 'must be a URI'),
  primitive('valueOid', '1.2.3', 'urn:oid:'),
  primitive('valueOid', 'urn:oid:3.1', 'must be an OID'),
  primitive('valueUuid', 'urn:uuid:C757873D-EC9A-4326-A141-556F43239520', 'lower-case UUID'),
  primitive('valueDate', '2023-02-30', 'must be a date that exists'),
  primitive('valueDate', '1900-02-29', 'must be a date that exists'),
  primitive('valueDate', '2024-13-01', 'must be a date that exists'),
  primitive('valueDate', '2024-04-31', 'must be a date that exists'),
  primitive('valueDate', '0000', 'must be a date'),
  primitive('valueDate', '24-01-01', 'e.g. "1974-12-25"'),
  primitive('valueDate', '2024-01-01T10:00:00Z', 'must be a date'),
  primitive('valueDate', 2024, 'got a number'),
  primitive('valueDateTime', '2024-01-01T10:00:00', 'time zone'),
  primitive('valueDateTime', '2024-01-01T10:00Z', 'with seconds'),
  primitive('valueDateTime', '2024-01-01T24:00:00Z', 'must be a date'),
  primitive('valueDateTime', '2023-02-29T10:00:00Z', 'that exists'),
  primitive('valueDateTime', '2024-01-01T10:00:00+15:00', 'must be a date'),
  primitive('valueInstant', '2024-01-01', 'a point in time with seconds and time zone'),
  primitive('valueInstant', '2024-01-01T10:00:00', 'time zone'),
  primitive('valueTime', '10:00', 'with seconds and no zone'),
  primitive('valueTime', '10:00:00Z', 'no zone'),
  primitive('valueDecimal', '1.5', 'a number without quotes, e.g. 7.25, and below 1.8e308 (decimal); got a string'),
  primitive('valueInteger', 1.5, 'a whole number'),
  primitive('valueInteger', 2_147_483_648, '2147483647'),
  primitive('valueInteger', '1', 'got a string'),
  primitive('valueUnsignedInt', -1, 'between 0 and'),
  primitive('valuePositiveInt', 0, 'between 1 and'),
  primitive('valueBase64Binary', 'abc', 'padded to a multiple of four'),
  primitive('valueBase64Binary', 'ab=c', 'base64'),
  primitive('valueBase64Binary', 'ab-_', 'base64'),
  primitive('valueBase64Binary', '====', 'base64'),
  [
    'an integer written with a decimal point',
    parseJson('{"resourceType":"Parameters","parameter":[{"name":"n","valueInteger":1.0}]}'),
    'value',
    'Parameters.parameter[0].value',
    'without quotes or decimal point',
  ],
  [
    'a decimal beyond any number',
    parseJson('{"resourceType":"Observation","status":"final","code":{"text":"x"},"valueQuantity":{"value":1e999}}'),
    'value',
    'Observation.value.value',
    'must be a number',
  ],
  ['a decimal that is an object', quantity({}), 'value', 'Observation.value.value', 'got an object'],
  ['an id of a resource', patient({ id: 'no spaces' }), 'value', 'Patient.id', 'must be an id'],
]

describe('primitive types:', () => refuses(PRIMITIVES))
