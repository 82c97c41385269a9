/** The built-in plans: whom and what they name exists, they have each line of IHE PDQm, and docs/plans-built-in.md has each step. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { CATALOGUE } from '../../../src/rehearsal/faults/catalogue.ts'
import { magic } from '../../../src/rehearsal/magic/table.ts'
import type { Plan, Step } from '../../../src/rehearsal/plans/plan.ts'
import { builtInPlans } from '../../../src/rehearsal/plans/plans.ts'
import { builtInNames } from '../../../src/rehearsal/scenarios/scenarios.ts'

const ROOT = join(import.meta.dirname, '../../..')
const PLANS = [...builtInPlans().values()]
const PAGE = readFileSync(join(ROOT, 'docs/plans-built-in.md'), 'utf8')

const stepsOf = (plan: string): readonly Step[] => builtInPlans().get(plan)?.steps ?? []

test('there are seven, each in a file of its name', () => {
  expect(PLANS.map(({ plan }) => plan)).toEqual([
    ...['abandonment', 'availability', 'booking-lifecycle', 'document-write-back', 'live-call-tools'],
    ...['patient-matching', 'resilience'],
  ])
  for (const { plan } of PLANS) expect(existsSync(join(ROOT, `resources/plans/${plan}.json`))).toBe(true)
})

describe.each(PLANS)('the plan $plan', (plan) => {
  test('is of a built-in scenario, and speaks of resources by its names alone, which a run looks up as it starts', () => {
    expect(builtInNames).toContain(plan.scenario)
    expect(JSON.stringify(plan.steps)).not.toMatch(/\b[A-Z][a-z]+\/[a-z]+-[a-z]/)
  })

  test('uses each of its names', () => {
    const unused = Object.keys(plan.names ?? {}).filter((name) => !JSON.stringify(plan.steps).includes(`{{${name}}}`))
    expect(unused).toEqual([])
  })

  test('has sources that can be looked up', () => {
    for (const { id, source } of plan.steps) {
      expect([id, source]).toEqual([id, expect.stringMatching(/https:\/\/|docs\/|^RFC \d|^IHE /)])
      for (const [page] of source.matchAll(/docs\/[\w/-]+\.md/g))
        expect([page, existsSync(join(ROOT, page))]).toEqual([page, true])
    }
  })

  test('is on its page, step by step', () => {
    expect(PAGE).toContain(sectionOf(plan))
  })
})

const sectionOf = ({ title, plan, scenario, description, steps }: Plan): string =>
  [
    `## ${title}`,
    `\`${plan}\`, in the scenario \`${scenario}\`. ${description}`,
    ['| step | what it checks | fault | source |', '|---|---|---|---|', ...steps.map(rowOf)].join('\n'),
  ].join('\n\n')

const rowOf = ({ id, title, attest, do: provoked, source }: Step): string => {
  const checked = attest === undefined ? title : `${title}. A person says: ${attest}`
  return `| \`${id}\` | ${checked} | ${provoked === undefined ? '' : `\`${provoked.fault}\``} | ${source} |`
}

/** https://profiles.ihe.net/ITI/PDQm/testplan.html: the Patient Search Option of the Patient Demographics Consumer. */
const PDQM: Readonly<Record<string, string>> = {
  'a single Patient': 'one-match',
  'multiple Patients': 'several-matches',
  'no results': 'no-match',
  'a status of 4xx': 'status-4xx',
  'a status of 5xx': 'status-5xx',
  'an OperationOutcome outside of a Bundle': 'outcome-alone',
  'an error inside of a Bundle': 'outcome-error',
  'a warning inside of a Bundle': 'outcome-warning',
  'information inside of a Bundle': 'outcome-information',
  'a Patient that violates the profile': 'violates-profile',
  'unknown extensions': 'unknown-extension',
  'an unknown modifierExtension': 'unknown-modifier',
}

test('patient-matching has each line of the test plan of IHE PDQm for consumers', () => {
  const lines = stepsOf('patient-matching').flatMap(({ id, source }) => {
    const [, line] = /^IHE PDQm test plan, Patient Search Option: (.*), https/.exec(source) ?? []
    return line === undefined ? [] : [[line, id]]
  })
  expect(lines).toEqual(Object.entries(PDQM))
})

test('patient-matching looks magic people up', () => {
  const people = JSON.stringify(magic.patients)
  for (const { id, expect: matcher, do: provoked } of stepsOf('patient-matching')) {
    const asked = matcher?.query?.family ?? new URLSearchParams(provoked?.when?.query).get('family')
    // A match by $match is of anybody.
    if (id !== 'minimum-data') expect(people).toContain(`"family":"${asked}"`)
  }
})

test('the plans provoke every fault that a client can answer well or badly', () => {
  const provoked = new Set(PLANS.flatMap(({ steps }) => steps.flatMap(({ do: one }) => one?.fault ?? [])))
  // The server answers for a tool call that arrives twice.
  expect([...CATALOGUE.keys()].filter((fault) => !provoked.has(fault))).toEqual(['duplicate'])
})
