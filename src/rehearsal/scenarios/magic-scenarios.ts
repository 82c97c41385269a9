/** The scenarios of the table of magic people: all of them, and the nights in which the clocks change. docs/magic.md */
import { magic } from '../magic/table.ts'
import { builtInScenario } from './built-in.ts'
import { magicPatients, magicPractitioners, practitionerFall } from './magic-people.ts'
import type { Person, Scenario, ScenarioResource } from './scenario.ts'

const peopleOf = (rows: readonly Person[]): readonly Person[] =>
  rows.map(({ who, resource, what }) => (resource === undefined ? { who, what } : { who, resource, what }))

const ofQuietWeek = (isIn: (resource: ScenarioResource) => boolean): readonly ScenarioResource[] =>
  builtInScenario('quiet-week').resources().filter(isIn)

export const matchingZoo: Scenario = {
  name: 'matching-zoo',
  title: 'The matching zoo',
  version: magic.version,
  description:
    'All magic people: patients who are hard to tell apart or to reach, practitioners with whom a booking goes wrong, and an ordinary one.',
  people: peopleOf([...magic.patients, ...magic.practitioners]),
  count: 152,
  resources: (day) => [
    ...ofQuietWeek(({ resourceType, id }) => resourceType === 'Location' || id.endsWith('-okafor')),
    ...magicPractitioners(day),
    ...magicPatients(),
  ],
}

export const dstWeekend: Scenario = {
  name: 'dst-weekend',
  title: 'The weekend on which the clocks change',
  version: magic.version,
  description:
    'The Friday before the clocks of the clinic change, at eight in the morning: the practice of quiet-week without its visits, and a practitioner whose times are those of the two nights.',
  clock: 'clocks-change-2d T08:00',
  people: peopleOf(magic.practitioners.filter(({ name }) => name === 'fall')),
  count: 53,
  resources: (day) => [...ofQuietWeek(({ resourceType }) => !OF_VISITS.has(resourceType)), ...practitionerFall(day)],
}

const OF_VISITS = new Set(['Appointment', 'DocumentReference'])
