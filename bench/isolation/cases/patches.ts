/** Patches of large resources. */
import { type HostileCase, inSequence, send, times } from '../hostile-case.ts'
import { familyNumber, MANY_NAMES } from '../stored/records.ts'

const TARGET = `/Patient/names-${MANY_NAMES.many}`
/** An index that the Patient has however many names the server has taken. */
const LAST = MANY_NAMES.atLeast - 1
const JSON_PATCH = 'application/json-patch+json'
const XML_PATCH = 'application/xml-patch+xml'

const operation = (...part: readonly object[]): object => ({ name: 'operation', part })
const fhirPathPatch = (parameter: readonly object[]) => send('PATCH', TARGET, { resourceType: 'Parameters', parameter })
const insertion = operation(
  { name: 'type', valueCode: 'insert' },
  { name: 'path', valueString: 'Patient.name' },
  { name: 'index', valueInteger: 0 },
  { name: 'value', valueHumanName: { family: 'First' } },
)

export const patches: readonly HostileCase[] = [
  {
    name: 'fhirpath-patch-of-inserts',
    about: 'FHIRPath Patch, 1,000 inserts at 0 of 20,000 names',
    stored: 'many names',
    attack: () => inSequence(fhirPathPatch(times(1_000, () => insertion))),
  },
  {
    name: 'fhirpath-patch-with-conditions',
    about: 'FHIRPath Patch, 1,000 replacements by a condition over 20,000 names',
    stored: 'many names',
    attack: () =>
      inSequence(
        fhirPathPatch(
          times(1_000, (n) =>
            operation(
              { name: 'type', valueCode: 'replace' },
              {
                name: 'path',
                valueString: `Patient.name.where(family = '${familyNumber(LAST - n)}').family`,
              },
              { name: 'value', valueString: `Another${n}` },
            ),
          ),
        ),
      ),
  },
  {
    name: 'json-patch-of-moves',
    about: 'JSON Patch, 1,000 moves to 0 of 20,000 names',
    stored: 'many names',
    attack: () =>
      inSequence(
        send(
          'PATCH',
          TARGET,
          times(1_000, () => ({ op: 'move', from: `/name/${LAST}`, path: '/name/0' })),
          JSON_PATCH,
        ),
      ),
  },
  {
    name: 'json-patch-of-100000-operations',
    about: 'JSON Patch, 100,000 tests, adds at 0 and removals',
    stored: 'many names',
    attack: () =>
      inSequence(
        ...[
          { op: 'test', path: `/name/${LAST}/given/0`, value: 'G99' },
          { op: 'add', path: '/name/0', value: { family: 'First' } },
        ].map((one) =>
          send(
            'PATCH',
            TARGET,
            times(100_000, () => one),
            JSON_PATCH,
          ),
        ),
      ),
  },
  {
    name: 'json-patch-of-large-tests',
    about: 'JSON Patch, 300 tests of all 20,000 names, each of which copies and compares them',
    stored: 'many names',
    attack: () => {
      const few = times(400, (n) => ({ family: `Family${n}`, given: [`G${n % 100}`] }))
      const operations = times(300, (n) => [
        { op: 'replace', path: '/name', value: few },
        { op: 'test', path: '/name', value: few },
        { op: 'copy', from: '/name/0', path: `/name/${n}` },
      ]).flat()
      return inSequence(send('PATCH', TARGET, operations, JSON_PATCH))
    },
  },
  {
    name: 'xml-patch-of-selectors',
    about: 'XML Patch, 1,000 selectors with conditions over 20,000 names',
    stored: 'many names',
    attack: () => {
      const replacement = (n: number): string =>
        `<replace sel="f:Patient/f:name[f:family/@value='${familyNumber(LAST - n)}']/f:family/@value">x${n}</replace>`
      const addition = (n: number): string =>
        `<add sel="f:Patient/f:name[${LAST - n}]" pos="before"><f:name><f:text value="x"/></f:name></add>`
      return inSequence(
        ...[replacement, addition].map((make) =>
          send('PATCH', TARGET, `<diff xmlns:f="http://hl7.org/fhir">${times(1_000, make).join('')}</diff>`, XML_PATCH),
        ),
      )
    },
  },
  {
    name: 'batch-of-patches',
    about: 'batch of 100 FHIRPath patches of a Patient with 20,000 names',
    stored: 'many names',
    attack: () =>
      inSequence(
        send('POST', '/', {
          resourceType: 'Bundle',
          type: 'batch',
          entry: times(100, () => ({
            resource: { resourceType: 'Parameters', parameter: [insertion] },
            request: { method: 'PATCH', url: TARGET.slice(1) },
          })),
        }),
      ),
  },
]
