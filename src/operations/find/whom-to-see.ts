/** Resolves the parameters of $find that refer to resources: the actors and patients of the visit. */
import { type Choice, choicesOf, schedulesWith } from '../../booking/slot-matcher.ts'
import type { Context } from '../../core/context.ts'
import { type Issue, information } from '../../fhir/outcome.ts'
import { localReference } from '../../fhir/reference.ts'
import { spend } from '../../isolation/budget.ts'
import { escaped, tokenText } from '../../search/value.ts'
import type { FindInput, Named } from './find-input.ts'

export interface WhomToSee {
  /** Schedule.id in order of preference; absent: any; empty: none of the requested actors exists. */
  readonly schedules?: readonly string[]
  /** References such as `Patient/id`. */
  readonly patients: readonly string[]
  /** Issues about resources that were not found. */
  readonly notes: readonly Issue[]
  /** True if nothing can be offered, because the requested resources do not exist. */
  readonly isNobody: boolean
}

/** Budget steps of one lookup. */
const LOOKED_UP = 20

export async function whomToSee(ctx: Context, input: FindInput): Promise<WhomToSee> {
  const { schedules, notes: notFound } = await recentSchedules(ctx, input)
  const notes = [...notFound]
  const patients = await patientsOf(ctx, input, notes)
  for (const { reference = '' } of input.insurances) await checkInsurance(ctx, reference, notes)
  return {
    ...(schedules === undefined ? {} : { schedules }),
    ...{ patients: patients ?? [], notes, isNobody: patients === undefined },
  }
}

type Asked = Pick<FindInput, 'practitioners' | 'organizations' | 'locations' | 'locationTexts'>

/** Types of actors that a request may name, and those related to them. */
const ASKED = ['Practitioner', 'PractitionerRole', 'Organization', 'Location', 'HealthcareService', 'Schedule']

/** Cached for a moment, as clients request the same actors repeatedly while they turn pages and try days. */
async function recentSchedules(ctx: Context, input: FindInput) {
  const { practitioners, organizations, locations, locationTexts } = input
  const name = JSON.stringify(['whose Schedules', practitioners, organizations, locations, locationTexts])
  return await ctx.unit.recentAnswer(name, ASKED, () => schedulesOf(ctx, input))
}

async function schedulesOf(ctx: Context, input: Asked): Promise<Pick<WhomToSee, 'schedules' | 'notes'>> {
  const notes: Issue[] = []
  const practitioners = await lookUp(ctx, input.practitioners, notes)
  const organizations = await lookUp(ctx, input.organizations, notes)
  const places = await lookUp(ctx, input.locations, notes)
  const described = await describedPlaces(ctx, input.locationTexts, notes)
  const isAnybody = [input.practitioners, input.organizations, input.locations, input.locationTexts].every(
    ({ length }) => length === 0,
  )
  if (isAnybody) return { notes }
  const wishes: (readonly Choice[])[] = []
  if (input.practitioners.length > 0) wishes.push(await choicesOf(ctx, 'practitioner', practitioners))
  if (input.organizations.length > 0) wishes.push(await choicesOf(ctx, 'organization', organizations))
  if (input.locations.length + input.locationTexts.length > 0)
    wishes.push(await choicesOf(ctx, 'location', [...places, ...described]))
  const isUnknown = wishes.some((choices) => choices.length === 0)
  return { schedules: isUnknown ? [] : await schedulesWith(ctx, wishes), notes }
}

/** The references of each resource that exists. */
async function lookUp(ctx: Context, all: readonly Named[], notes: Issue[]): Promise<readonly (readonly string[])[]> {
  const found: (readonly string[])[] = []
  for (const named of all) {
    const addresses = await addressesOf(ctx, named)
    if (addresses.length === 0) notes.push(notThere(named))
    else found.push(addresses)
  }
  return found
}

async function addressesOf(ctx: Context, { type, address, identifier }: Named): Promise<readonly string[]> {
  spend(LOOKED_UP, 'whom the visit is with')
  if (identifier !== undefined) {
    const { system, value = '' } = identifier
    const found = await ctx.search(type as 'Practitioner', queryOf('identifier', tokenText(system, value)))
    return found.map(({ id }) => `${type}/${id}`)
  }
  return address !== undefined && (await exists(ctx, address)) ? [address] : []
}

const queryOf = (param: string, value: string): string => new URLSearchParams({ [param]: value }).toString()

async function exists(ctx: Context, address: string): Promise<boolean> {
  const [type = '', id = ''] = address.split('/')
  return (await ctx.find(type as 'Practitioner', id)) !== undefined
}

const notThere = ({ param, type, text }: Named): Issue => ({
  severity: 'warning',
  code: 'not-found',
  diagnostics: `${param}: there is no ${type} ${text} in this clinic`,
  expression: param,
  reason: 'reference-not-found',
})

/** Places by name or address; each text is one choice. */
async function describedPlaces(ctx: Context, texts: readonly string[], notes: Issue[]) {
  const choices: (readonly string[])[] = []
  for (const text of texts) {
    spend(2 * LOOKED_UP, 'whom the visit is with')
    const found = await Promise.all(
      ['name', 'address'].map((param) => ctx.search('Location', queryOf(param, escaped(text)))),
    )
    const addresses = [...new Set(found.flat().map(({ id }) => `Location/${id}`))]
    if (addresses.length > 0) choices.push(addresses)
    else
      notes.push({ ...notThere({ param: 'location-string', type: 'Location', text: `'${text}'` }), code: 'not-found' })
  }
  return choices
}

/** Several patients make a group visit, which needs all of them: undefined if one does not exist. */
async function patientsOf(ctx: Context, input: FindInput, notes: Issue[]): Promise<readonly string[] | undefined> {
  const addresses = await lookUp(ctx, input.patients, notes)
  if (addresses.length < input.patients.length) return undefined
  const given: string[] = []
  for (const { id } of input.patientResources) {
    if (id !== undefined && (await exists(ctx, `Patient/${id}`))) given.push(`Patient/${id}`)
    else notes.push(NOT_KEPT)
  }
  return [...new Set([...addresses.flatMap(([first]) => first ?? []), ...given])]
}

const NOT_KEPT = information(
  'patient-resource: this Patient is not in this clinic, and $find stores nobody, so the times are offered without one; hand the patient-resource to $book',
  'patient-resource',
)

async function checkInsurance(ctx: Context, reference: string, notes: Issue[]): Promise<void> {
  const local = localReference(reference, ctx.baseUrl)
  if (local === undefined) return
  spend(LOOKED_UP, 'the insurance')
  const { type, id } = local
  if (await exists(ctx, `${type}/${id}`)) return
  notes.push(notThere({ param: 'insurance-reference', type, text: reference }))
}
