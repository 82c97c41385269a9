/**
 * The scenarios that a rehearsal can begin with, GET /scenarios, the magic people and values, GET /magic, and the catalogue of
 * faults, GET /faults, and the strictness profiles, GET /as, for every user. Absent where rehearsals are off.
 * docs/scenarios.md, docs/magic.md, docs/faults.md, docs/strictness.md
 */
import { Router } from '@koa/router'
import { present } from '../../fhir/resource.ts'
import { type SideRouter, sideRouter } from '../../http/side-router.ts'
import { CATALOGUE, type Fault } from '../../rehearsal/faults/catalogue.ts'
import { type MagicPatient, magic } from '../../rehearsal/magic/table.ts'
import type { Scenario } from '../../rehearsal/scenarios/scenario.ts'
import type { Scenarios } from '../../rehearsal/scenarios/scenarios.ts'
import type { StrictnessProfiles } from '../../rehearsal/strictness/profiles.ts'

/**
 * Run after `authenticate`.
 * @param rehearsal absent: rehearsals are off
 */
export function rehearsalRoutes(
  rehearsal: { readonly scenarios: Scenarios; readonly strictness: StrictnessProfiles } | undefined,
): SideRouter {
  const router = new Router()
  if (rehearsal !== undefined) {
    router.get('/scenarios', (koa) => {
      koa.body = { scenarios: rehearsal.scenarios.all.map(shown) }
    })
    router.get('/magic', (koa) => {
      koa.body = { ...magic, patients: magic.patients.map(withoutData) }
    })
    router.get('/faults', (koa) => {
      koa.body = { faults: [...CATALOGUE.values()].map(shownFault) }
    })
    router.get('/as', (koa) => {
      koa.body = { profiles: rehearsal.strictness.all }
    })
  }
  return sideRouter(['scenarios', 'magic', 'faults', 'as'], router)
}

const shown = ({ name, title, version, description, clock, count, people, oddities }: Scenario) =>
  present({ name, title, version, description, clock, resources: count, people: people.length, oddities })

/** The row without the Patients that it is made of: they are read as any others. */
const withoutData = ({ resources: _resources, namesakes: _namesakes, ...row }: MagicPatient) => row

/** The places are rules of the server: docs/faults.md has them in words. */
const shownFault = ({ isTrue, at: _at, ...fault }: Fault) => ({ ...fault, true: isTrue })
