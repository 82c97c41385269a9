/** A run of a plan of a few steps, as a test sends its requests. */
import { expect } from '@jest/globals'
import type { Patient } from 'fhir/r4'
import type { RunReport } from '../../../src/rehearsal/runs/run.ts'
import { request } from '../../support/server.ts'
import type { Rehearsed } from '../rehearsed.ts'

export const SMITH: Patient = {
  resourceType: 'Patient',
  name: [{ family: 'Smith', given: ['Ann'] }],
  birthDate: '1970-01-01',
}

export const plan = (steps: readonly object[], more: object = {}) => ({
  ...{ plan: 'tried', title: 'Tried', version: '1.0.0', description: 'A plan of a test' },
  ...more,
  steps: steps.map((step, index) => ({
    id: `step-${index + 1}`,
    title: 'A step',
    source: 'https://hl7.org/fhir/R4/http.html',
    ...step,
  })),
})

interface Run {
  readonly id: string
  readonly send: (method: string, path: string, body?: unknown, headers?: object) => ReturnType<typeof request>
  /** By its token alone. */
  readonly byToken: (method: string, path: string, body?: unknown, headers?: object) => ReturnType<typeof request>
  readonly find: () => Promise<RunReport>
  readonly finish: () => Promise<RunReport>
  readonly ask: (method: string, path: string, body?: unknown) => ReturnType<Rehearsed['ask']>
}

/** @param more members of the plan. @param start members of the request that starts the run */
export async function startRun(
  clinic: Rehearsed,
  steps: readonly object[],
  more: object = {},
  start: object = {},
): Promise<Run> {
  const stored = await clinic.ask('PUT', '/plans/tried', plan(steps, more))
  expect(stored.text.slice(0, 400)).toContain('"plan":"tried"')
  const { status, body, text } = await clinic.ask('POST', '/runs', { plan: 'tried', ...start })
  expect([status, text.slice(0, 300)]).toEqual([201, expect.any(String)])
  const id: string = body.run
  const ask: Run['ask'] = (method, path, given) => clinic.ask(method, `/runs/${id}${path}`, given)
  const headers = { authorization: `Bearer ${clinic.server.token}`, 'x-sandbox-run': id }
  return {
    id,
    ask,
    send: (method, path, given, further) => request(clinic.server.url, method, path, given, { ...headers, ...further }),
    byToken: (method, path, given, further) =>
      request(clinic.server.url, method, path, given, { authorization: `Bearer ${body.token}`, ...further }),
    find: async () => (await ask('GET', '')).body,
    finish: async () => (await ask('POST', '/finish')).body,
  }
}

export const results = ({ steps }: RunReport) => steps.map(({ result }) => result)
