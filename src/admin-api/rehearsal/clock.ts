/** The clock of a clinic: GET|PUT /clinics/{id}/clock, POST /clinics/{id}/clock/advance. docs/clock.md */
import type { Router } from '@koa/router'
import { DateTime, Duration } from 'luxon'
import { readSettings } from '../../clinics/settings.ts'
import { badRequest, unprocessable } from '../../fhir/outcome.ts'
import { isObject, present } from '../../fhir/resource.ts'
import { readJsonBody } from '../../http/message/body.ts'
import { type ClinicDay, instantAt } from '../../rehearsal/scenarios/moments.ts'
import { type ClinicClock, GENERATION, GENERATION_KEY, stageGeneration } from '../../repository/generation.ts'
import type { Repository } from '../../repository/repository.ts'
import { untilKnown } from '../known-everywhere.ts'
import { rehearsedClinic } from './rehearsed-clinic.ts'

/** Most years that a clock may be ahead: Slots and holidays are generated for fewer. */
const MOST_YEARS = 10

/** @param router of the clinics */
export function addClockRoutes(router: Router, repository: Repository): void {
  router.get('/:clinic/clock', async (koa) => {
    const clinic = await rehearsedClinic(koa, repository, { what: 'read clock' })
    koa.body = await shownClock(repository, clinic)
  })

  router.put('/:clinic/clock', async (koa) => {
    const clinic = await rehearsedClinic(koa, repository, { what: 'set clock', isChanged: true })
    const { at, runs } = readClock(await readJsonBody(koa))
    await setClock(repository, clinic, (now) => at ?? now, runs)
    koa.body = await shownClock(repository, clinic)
  })

  router.post('/:clinic/clock/advance', async (koa) => {
    const clinic = await rehearsedClinic(koa, repository, { what: 'advance clock', isChanged: true })
    const by = readDuration(await readJsonBody(koa))
    const { timeZone: zone } = await readSettings(repository, clinic)
    await setClock(repository, clinic, (now) => DateTime.fromMillis(now, { zone }).plus(by).toMillis())
    koa.body = await shownClock(repository, clinic)
  })
}

/**
 * @param timeAfter the new time, from the one before; milliseconds since 1970 UTC
 * @param runs whether the clock goes on from there; absent: as before
 * @throws FhirError 422 for a time that has passed by the clock, or is too far ahead
 */
async function setClock(
  repository: Repository,
  clinic: string,
  timeAfter: (now: number) => number,
  runs?: boolean,
): Promise<void> {
  await repository.change(clinic, async (unit) => {
    const generation = (await unit.records.read(GENERATION, GENERATION_KEY))?.value ?? { number: 0 }
    const at = timeAfter(unit.now)
    if (at < unit.now) throw tooEarly(unit.now)
    // Beyond the last year that has a number, the time is none.
    if (!(at <= DateTime.fromMillis(unit.writtenAt).plus({ years: MOST_YEARS }).toMillis()))
      throw unprocessable(`The clock may be at most ${MOST_YEARS} years ahead of the time of the server`)
    const isRunning = runs ?? !isStopped(generation.clock)
    await stageGeneration(unit, { ...generation, clock: isRunning ? { ahead: at - unit.writtenAt } : { at } })
  })
  await untilKnown()
}

const tooEarly = (now: number) =>
  unprocessable(
    `The clock of the clinic is at ${new Date(now).toISOString()} and goes forward only, as nothing that has happened may lie in ` +
      'the future; a reset of the clinic sets it back',
  )

const isStopped = (clock: ClinicClock | undefined): boolean => clock !== undefined && 'at' in clock

async function shownClock(repository: Repository, clinic: string): Promise<object> {
  const generation = await repository.generation(clinic)
  const { now, writtenAt } = await repository.reader(clinic, generation)
  const { timeZone: zone, name: clinicName } = await readSettings(repository, clinic)
  const next = clockChangeAfter({ clinic, clinicName, timeZone: zone, now })
  return {
    at: DateTime.fromMillis(now, { zone }).toISO(),
    runs: !isStopped(generation.clock),
    ahead: Duration.fromMillis(now - writtenAt)
      .rescale()
      .toISO(),
    timeZone: zone,
    generation: generation.number,
    ...(next === undefined ? {} : { nextDaylightSaving: DateTime.fromMillis(next, { zone }).toISO() }),
  }
}

/** The midnight before clocks change next, in milliseconds since 1970 UTC; undefined in a zone without daylight saving. */
function clockChangeAfter(day: ClinicDay): number | undefined {
  try {
    return instantAt('clocks-change T00:00', day)
  } catch {
    return undefined
  }
}

interface WantedClock {
  /** Milliseconds since 1970 UTC; absent: the time that it has. */
  readonly at?: number
  readonly runs?: boolean
}

/** @throws FhirError 400 */
function readClock(body: unknown): WantedClock {
  const { at, runs, ...others } = isObject(body) ? body : {}
  const isRight = (at ?? runs) !== undefined && (runs === undefined || typeof runs === 'boolean')
  const time = at === undefined ? undefined : timeWithOffset(at)
  if (!isRight || time?.isValid === false || Object.keys(others).length > 0)
    throw badRequest(
      'The body must be {"at": "2027-03-13T09:00:00-05:00", "runs": true}: a time with its offset, whether the clock goes on, or both',
    )
  return { ...present({ at: time?.toMillis() }), ...(typeof runs === 'boolean' ? { runs } : {}) }
}

const timeWithOffset = (at: unknown): DateTime =>
  typeof at === 'string' && /T.*(?:Z|[+-]\d\d:\d\d)$/.test(at)
    ? DateTime.fromISO(at, { setZone: true })
    : DateTime.invalid('no time with its offset')

/** @throws FhirError 400 */
function readDuration(body: unknown): Duration {
  const { by, ...others } = isObject(body) ? body : {}
  const duration = typeof by === 'string' ? Duration.fromISO(by) : undefined
  if (duration?.isValid && Object.keys(others).length === 0) return duration
  throw badRequest('The body must be {"by": "P1D"}: an ISO 8601 duration, such as PT1H, P1D or P1W')
}
