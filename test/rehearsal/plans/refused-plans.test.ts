/** Plans that are wrong, each with the sentence that says where and what would be right. */
import { expect, test } from '@jest/globals'
import { FhirError } from '../../../src/fhir/outcome.ts'
import { parsePlan } from '../../../src/rehearsal/plans/parse-plan.ts'

const STEP = { id: 'look', title: 'Looks', source: 'https://hl7.org/fhir/R4/slot.html' }
const plan = (step: unknown, more: object = {}) => ({
  ...{ plan: 'tried', title: 'Tried', version: '1.0.0', description: 'A plan of a test' },
  ...{ steps: [step], ...more },
})
const withStep = (words: object) => plan({ ...STEP, ...words })
const create = { interaction: 'create', type: 'Patient' }

const refusalOf = (value: unknown): string => {
  try {
    parsePlan(value)
  } catch (error) {
    if (error instanceof FhirError) return error.message
    throw error
  }
  return 'it is right'
}

test.each<[unknown, string | RegExp]>([
  [[], 'The plan must be an object with plan, title, version, description, steps'],
  [{ plan: 'tried' }, "The plan must have 'title'"],
  [
    plan(STEP, { plan: 'Tried it' }),
    'The plan: plan must be lower-case words joined by hyphens, 64 characters at most',
  ],
  [plan(STEP, { version: '1' }), 'The plan: version must be a semantic version such as 1.0.0'],
  [plan(STEP, { step: [] }), "The plan has 'step', which is not known; did you mean steps?"],
  [plan(STEP, { steps: [] }), 'The plan: steps must be a list of 1 to 60 steps'],
  [plan('look'), 'Plan tried, step 1 must be an object with id, title, source'],
  [plan({ id: 'look', title: 'Looks' }), "Plan tried, step 'look' must have 'source'"],
  [withStep({}), "Plan tried, step 'look' says nothing to judge by; give it do, expect, after, never, state or attest"],
  [withStep({ expects: {} }), "Plan tried, step 'look' has 'expects', which is not known; did you mean expect?"],
  [
    withStep({ expect: { type: 'Patent' } }),
    /^Plan tried, step 'look': expect\.type must be one of those known; did you mean Patient\?$/,
  ],
  [
    withStep({ expect: { status: [200, 'ok'] } }),
    "Plan tried, step 'look': expect.status[1] must be a status such as 409, or a class such as 4xx",
  ],
  [
    withStep({ expect: { query: { start: 5 } } }),
    "Plan tried, step 'look': expect.query.start must be a text of 1 to 500 characters",
  ],
  [
    withStep({ expect: { request: 'name.(' } }),
    /^Plan tried, step 'look': expect\.request must be FHIRPath: .*character 6/,
  ],
  [
    withStep({ expect: create, times: { most: -1 } }),
    "Plan tried, step 'look': times.most must be a whole number from 0 to 200000",
  ],
  [
    withStep({ expect: create, times: 200_001 }),
    "Plan tried, step 'look': times must be a whole number from 0 to 200000",
  ],
  [
    withStep({ expect: create, times: {} }),
    "Plan tried, step 'look': times must be a number, or an object with least or most",
  ],
  [
    withStep({ times: 1, attest: 'So it is' }),
    "Plan tried, step 'look': times needs 'expect', whose matches it counts",
  ],
  [withStep({ expect: create, within: 'PT2M' }), "Plan tried, step 'look': within needs 'after', whose time it limits"],
  [
    withStep({ expect: create, after: create, within: '2 minutes' }),
    "Plan tried, step 'look': within must be an ISO 8601 duration such as PT30S or PT2M",
  ],
  [withStep({ never: { ...create, same: 'body' } }), /^Plan tried, step 'look' must have 'expect' or 'do', as/],
  [
    withStep({ do: { fault: 'slot-gon' } }),
    /^Plan tried, step 'look': do must be right: There is no fault 'slot-gon'; the nearest is slot-gone/,
  ],
  [
    withStep({ do: { fault: 'slot-gone', when: { run: 'mine' } } }),
    "Plan tried, step 'look': do.when.run must be absent, as it is for the run's own requests",
  ],
  [
    withStep({ do: { fault: 'slot-gone', every: 2 } }),
    "Plan tried, step 'look': do has 'every', which is not known; known are fault, when, on, with",
  ],
  [
    withStep({ state: { query: 'Appointments?status=booked', count: 1 } }),
    "Plan tried, step 'look': state.query must be a search such as Appointment?status=booked, by a type that exists",
  ],
  ...['_count', '_summary'].map((name): [unknown, string] => [
    withStep({ state: { query: `Appointment?status=booked&${name}=0`, count: 1 } }),
    `Plan tried, step 'look': state.query must not have ${name}, as all matches are counted`,
  ]),
  [withStep({ state: { query: 'Appointment?status=booked' } }), "Plan tried, step 'look': state must have 'count'"],
  [
    withStep({ expect: create, times: { least: 3, most: 1 } }),
    "Plan tried, step 'look': times.least must not be above most",
  ],
  [
    withStep({ expect: { hasOwnProperty: 1 } }),
    /^Plan tried, step 'look': expect has 'hasOwnProperty', which is not known/,
  ],
  [
    withStep({ expect: { method: { toString: 1, valueOf: 1 } } }),
    /^Plan tried, step 'look': expect\.method must be one of GET/,
  ],
  [
    withStep({ expect: { status: [[{ toString: 1 }]] } }),
    /^Plan tried, step 'look': expect\.status\[0\] must be a status/,
  ],
  [withStep({ expect: { method: [['GET']] } }), /^Plan tried, step 'look': expect\.method\[0\] must be one of GET/],
  [
    withStep({ state: { query: { toString: 1 }, count: 1 } }),
    /^Plan tried, step 'look': state\.query must be a search/,
  ],
  [
    withStep({ do: { fault: { toString: 1 } } }),
    /^Plan tried, step 'look': do must be right: There is no fault ''; the faults are/,
  ],
  [
    plan({ ...STEP, expect: { request: "id = '{{who}}'" } }, { names: { who: "O'Hara" } }),
    /^Plan tried, step 'look': expect\.request must be FHIRPath: /,
  ],
  [
    withStep({ expect: { path: '/Patient/{{who}}' } }),
    /step 'look': the name \{\{who\}\} is not among the names of the plan/,
  ],
  [
    plan(STEP, {
      steps: [
        { ...STEP, attest: 'x' },
        { ...STEP, attest: 'y' },
      ],
    }),
    /there are two steps 'look'/,
  ],
])('%j is refused', (value, said) => {
  expect(refusalOf(value)).toEqual(typeof said === 'string' ? said : expect.stringMatching(said))
})

test('a plan may use every word', () => {
  const words = {
    do: { fault: 'slot-gone', when: create, on: [2], with: {} },
    ...{ expect: create, times: { least: 1, most: 3 }, after: [create, { tool: 'save_patient' }], within: 'PT2M' },
    never: { ...create, same: ['body', 'address'], soonerThan: 'retry-after' },
    ...{ state: [{ query: 'Patient?name={{who}}', count: 1 }], attest: 'So it is' },
  }
  expect(refusalOf(plan({ ...STEP, ...words }, { names: { who: 'Smith' } }))).toBe('it is right')
})
