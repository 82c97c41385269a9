/** The people of synthetic-1000, made without a server. */
import { resolved } from '../../../src/rehearsal/scenarios/placeholders.ts'
import type { ScenarioResource } from '../../../src/rehearsal/scenarios/scenario.ts'
import { townResources } from '../../../src/rehearsal/scenarios/synthetic/synthetic.ts'

export const DAY = {
  clinic: 'north-side',
  clinicName: 'North Side',
  timeZone: 'America/New_York',
  now: Date.parse('2026-03-04T07:00:00-05:00'),
}
export const TODAY = '2026-03-04'

export const made = (patients: number, day = DAY): readonly ScenarioResource[] =>
  [...townResources({ seed: '1', patients }, day)].map((resource) => resolved(resource, day))

export const thousand = made(1000)

export const all = <Resource>(type: string): readonly Resource[] =>
  thousand.filter(({ resourceType }) => resourceType === type) as unknown as Resource[]

/** Items by the patient of their subject, `synthetic-0001`. */
export function byPatient<Resource extends { readonly id?: string | undefined }>(resources: readonly Resource[]) {
  const groups = new Map<string, Resource[]>()
  for (const resource of resources) {
    const id = resource.id?.slice(0, 'synthetic-0001'.length) ?? ''
    groups.set(id, [...(groups.get(id) ?? []), resource])
  }
  return groups
}
