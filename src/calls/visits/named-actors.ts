/** People who see patients, and places, by spoken name. */
import type { HealthcareService, HumanName, Location, Practitioner, PractitionerRole, Reference } from 'fhir/r4'
import type { Context } from '../../core/context.ts'
import { localReference } from '../../fhir/reference.ts'
import { spend } from '../../isolation/budget.ts'

export interface NamedActor {
  /**
   * For example `Practitioner/1`. For a PractitionerRole, its practitioner's if it has one; '' if the actor has only a
   * name.
   */
  readonly address: string
  /** The name to read aloud: "Dr. Amara Okafor". */
  readonly name: string
  /** Its other names. */
  readonly alsoCalled: readonly string[]
}

export interface NamedActors {
  readonly people: readonly NamedActor[]
  readonly places: readonly NamedActor[]
}

/** Budget steps to read one actor. */
const LOOKED_UP = 2

/** Omits patients, and actors without a name. @param actors of a Schedule, or participants of an Appointment */
export async function namedActors(ctx: Context, actors: readonly Reference[]): Promise<NamedActors> {
  spend(actors.length * LOOKED_UP, 'the names of those who take part')
  const named = await Promise.all(actors.map((actor) => nameOne(ctx, actor)))
  return {
    people: named.flatMap((one) => one?.people ?? []),
    places: named.flatMap((one) => one?.places ?? []),
  }
}

async function nameOne(
  ctx: Context,
  { reference = '', display }: Reference,
): Promise<Partial<NamedActors> | undefined> {
  const { type, id } = localReference(reference, ctx.baseUrl) ?? {}
  if (type === 'Patient' || type === 'RelatedPerson') return undefined
  if (type === undefined || id === undefined) return { people: called(reference, [display]) }
  switch (type) {
    case 'Practitioner': {
      const found = (await ctx.unit.readRecent<Practitioner>('Practitioner', id))?.resource
      return { people: called(`${type}/${id}`, [...(found?.name ?? []).flatMap(spokenNames), display]) }
    }
    case 'PractitionerRole':
      return await nameRole(ctx, id, display)
    case 'Location': {
      const { name, alias = [], address } = (await ctx.unit.readRecent<Location>('Location', id))?.resource ?? {}
      return { places: called(`${type}/${id}`, [name, display, ...alias, address?.city]) }
    }
    case 'HealthcareService': {
      const found = (await ctx.unit.readRecent<HealthcareService>('HealthcareService', id))?.resource
      return { people: called(`${type}/${id}`, [found?.name, display]) }
    }
    default:
      return undefined
  }
}

async function nameRole(ctx: Context, id: string, display: string | undefined): Promise<Partial<NamedActors>> {
  const { practitioner, location = [] } =
    (await ctx.unit.readRecent<PractitionerRole>('PractitionerRole', id))?.resource ?? {}
  const people = practitioner && (await nameOne(ctx, practitioner))?.people
  const places = await Promise.all(location.map((one) => nameOne(ctx, one)))
  return {
    people: people ?? called(`PractitionerRole/${id}`, [display]),
    places: places.flatMap((one) => one?.places ?? []),
  }
}

function called(address: string, names: readonly (string | null | undefined)[]): readonly NamedActor[] {
  const [name, ...alsoCalled] = names.flatMap((one) => (one == null || one.trim() === '' ? [] : one))
  return name === undefined ? [] : [{ address, name, alsoCalled }]
}

/** "Dr. Amara Okafor", without suffixes. */
function spokenNames({ use, prefix = [], given = [], family, text }: HumanName): readonly string[] {
  if (use === 'old') return []
  const parts = [...prefix, ...given.slice(0, 1), ...(family === undefined ? [] : [family])]
  return [...(family === undefined ? [] : [parts.join(' ')]), ...(text === undefined ? [] : [text])]
}
