/**
 * Patients of the clinic who may be a person: candidates by their keys (matching/keys.ts), compared and weighed
 * (matching/score.ts). For Patient/$match, live calls and the search for duplicates.
 *
 * No candidate is left out silently: all patients with a key are compared, unless the key is too common to be evidence
 * by itself. Then only patients are compared who share further keys, so that something else agrees too, and `narrowed`
 * says so.
 */
import type { Patient } from 'fhir/r4'
import { spend } from '../isolation/budget.ts'
import { compare } from '../matching/compare.ts'
import { type Demographics, demographicsOf } from '../matching/demographics.ts'
import { askedKeys, isOfPlaceholder, MATCH_KEYS, narrowerKeys, PLACEHOLDER } from '../matching/keys.ts'
import type { NamePart } from '../matching/names.ts'
import { isPlaceholder, isReplaced, PLACEHOLDER_TAG } from '../matching/placeholder.ts'
import { bitsOf, type FieldEvidence, type Frequencies, probabilitiesOf, smoothed, weightOf } from '../matching/score.ts'
import { type KeysQuery, type UnitOfWork, Versioned } from '../repository/repository.ts'
import type { Condition } from '../search/plan.ts'

export interface LinkedPatient {
  readonly patient: Versioned<Patient>
  readonly evidence: readonly FieldEvidence[]
  /** See weightOf. */
  readonly weight: number
  /** Probability that this is the person, from 0 to 1. Placeholders do not compete with patients. */
  readonly probability: number
  readonly isPlaceholder: boolean
}

export interface Linkage {
  /** The likeliest first. */
  readonly patients: readonly LinkedPatient[]
  readonly frequencies: Frequencies
  /** Number of compared patients. */
  readonly compared: number
  /** Some keys were too common, so only those of their patients were compared for whom something else agrees too. */
  readonly narrowed: boolean
}

/** Most patients of one key that are all compared. */
const MOST = 32
/** Most patients of a too common key for whom both names agree: every namesake may be the person. */
const MOST_NAMESAKES = 1_000
/** Most patients who share one name and one common value; among more, none stands out. */
const MOST_OF_ONE_NAME = 100

/** Probability of a candidate at which the search stops. */
const CLEAR = 0.9

/** Steps to parse a candidate and prepare it for comparison. */
const STEPS_PER_CANDIDATE = 20

/**
 * @param region ISO 3166 code of the clinic's country
 * @param except id of a stored patient to leave out: the one that the search starts from
 * @returns undefined when there is nothing to search by
 * @throws FhirError 503 while the keys of stored patients are being indexed; BudgetError
 */
export async function linkPatients(
  unit: UnitOfWork,
  asked: Patient,
  region?: string,
  except?: string,
): Promise<Linkage | undefined> {
  const demographics = demographicsOf(asked, region)
  const keys = askedKeys(demographics)
  if (Object.values(keys).every((some) => some.length === 0)) return undefined
  const frequencies = await nameFrequencies(unit, demographics)
  const search = new LinkageSearch(unit, demographics, frequencies, region, except)
  const { telling, both, family, given, dates, places, fallback } = keys
  // Placeholders with the same name are either few or too many.
  await search.add([...telling, ...both, ...[...telling, ...both, ...family, ...given].map(ofPlaceholder)])
  if (!search.isClear)
    await search.add([...family, ...given, ...dates, ...places, ...[...dates, ...places].map(ofPlaceholder)])
  if (!search.isClear) await search.add([...fallback, ...fallback.map(ofPlaceholder)])
  if (!search.isClear) await search.addNarrowed()
  return search.linkage
}

interface Compared {
  readonly patient: Versioned<Patient>
  readonly evidence: readonly FieldEvidence[]
  readonly weight: number
  readonly isPlaceholder: boolean
}

const ofPlaceholder = (key: string): string => PLACEHOLDER + key

class LinkageSearch {
  readonly #unit: UnitOfWork
  readonly #demographics: Demographics
  readonly #frequencies: Frequencies
  readonly #region: string | undefined
  readonly #except: string | undefined
  readonly #found = new Map<string, Compared>()
  readonly #tooCommon = new Set<string>()
  #isCut = false
  /** The rating of the patients found so far. */
  #rating: { readonly found: number; readonly rated: readonly LinkedPatient[] } | undefined

  constructor(
    unit: UnitOfWork,
    demographics: Demographics,
    frequencies: Frequencies,
    region: string | undefined,
    except: string | undefined,
  ) {
    this.#unit = unit
    this.#demographics = demographics
    this.#frequencies = frequencies
    this.#region = region
    this.#except = except
  }

  /** Adds the patients that have one of the keys, unless it is too common. */
  async add(beginnings: readonly string[]): Promise<void> {
    await this.#find({ beginnings, most: MOST })
  }

  /** Adds patients of too common keys for whom something else agrees; where nothing else is known, some of them. */
  async addNarrowed(): Promise<void> {
    const ofPlaceholders = [...this.#tooCommon].filter(isOfPlaceholder)
    const ofPatients = [...this.#tooCommon].filter((key) => !isOfPlaceholder(key))
    await this.#addMany(ofPatients, '')
    await this.#addMany(
      ofPlaceholders.map((key) => key.slice(PLACEHOLDER.length)),
      PLACEHOLDER,
    )
  }

  async #addMany(common: readonly string[], mark: string): Promise<void> {
    const { names, others } = narrowerKeys(this.#demographics, new Set(common))
    await this.#find({ beginnings: others.map((key) => mark + key), most: MOST_OF_ONE_NAME })
    await this.#find({ beginnings: names.map((key) => mark + key), most: MOST_NAMESAKES, some: true })
  }

  async #find(query: Pick<KeysQuery, 'beginnings' | 'most' | 'some'>): Promise<void> {
    if (query.beginnings.length === 0) return
    const { resources, tooCommon, isCut } = await this.#unit.findByKeys({
      type: 'Patient',
      param: MATCH_KEYS,
      ...query,
    })
    for (const resource of resources) this.#add(new Versioned<Patient>(resource))
    for (const key of tooCommon) this.#tooCommon.add(key)
    this.#isCut ||= isCut
  }

  #add(patient: Versioned<Patient>): void {
    if (patient.id === this.#except || this.#found.has(patient.id)) return
    spend(STEPS_PER_CANDIDATE, 'comparing patients')
    const { resource } = patient
    if (isReplaced(resource)) return
    const weigh = (evidence: readonly FieldEvidence[]) => bitsOf(evidence, this.#frequencies)
    const evidence = compare(this.#demographics, demographicsOf(resource, this.#region), weigh)
    const weight = weightOf(evidence, this.#frequencies)
    this.#found.set(patient.id, { patient, evidence, weight, isPlaceholder: isPlaceholder(resource) })
  }

  /** Whether somebody agrees so well that nobody else can be the person. */
  get isClear(): boolean {
    return this.#rated.some(({ probability, isPlaceholder }) => probability >= CLEAR && !isPlaceholder)
  }

  get linkage(): Linkage {
    const patients = this.#rated.toSorted(
      (a, b) => b.probability - a.probability || b.weight - a.weight || (a.patient.id < b.patient.id ? -1 : 1),
    )
    return {
      patients,
      frequencies: this.#frequencies,
      compared: this.#found.size,
      narrowed: this.#tooCommon.size > 0 || this.#isCut,
    }
  }

  get #rated(): readonly LinkedPatient[] {
    if (this.#rating?.found !== this.#found.size) this.#rating = { found: this.#found.size, rated: this.#rate() }
    return this.#rating.rated
  }

  /** Rates patients and placeholders separately. */
  #rate(): readonly LinkedPatient[] {
    const all = [...this.#found.values()]
    return [false, true].flatMap((placeholders) => {
      const some = all.filter(({ isPlaceholder }) => isPlaceholder === placeholders)
      const probabilities = probabilitiesOf(
        some.map(({ weight }) => weight),
        this.#frequencies.patients,
      )
      return some.map((one, index) => ({ ...one, probability: probabilities[index] ?? 0 }))
    })
  }
}

/** Names of one person that are counted, of each kind; others count as usual. */
const MAX_NAMES = 4

export async function nameFrequencies(unit: UnitOfWork, { names }: Demographics): Promise<Frequencies> {
  const families = names.map(({ family }) => family)
  const givens = names.flatMap(({ given }) => given.slice(0, 1))
  const all = await unit.recentCount('Patient')
  const placeholders = all === 0 ? 0 : await unit.recentCount('Patient', PLACEHOLDERS)
  const patients = Math.max(0, all - placeholders)
  const count: Count = (named) => countNamed(unit, named, placeholders > 0)
  const [family, given] = await Promise.all([countsOf(count, 'family', families), countsOf(count, 'given', givens)])
  const counts = { family, given }
  return {
    patients,
    of: (field, name) => {
      const count = counts[field].get(name)
      return count === undefined ? undefined : smoothed(field, count, patients)
    },
  }
}

type Count = (named: Condition) => Promise<number>

/** By the text of the name. */
async function countsOf(
  count: Count,
  param: 'family' | 'given',
  names: readonly NamePart[],
): Promise<ReadonlyMap<string, number>> {
  const named = new Map(names.flatMap(({ text, written }) => (text === '' ? [] : [[text, written] as const])))
  const counts = [...named].slice(0, MAX_NAMES).map(async ([text, value]) => {
    return [text, await count({ kind: 'string', param, match: 'equal', value })] as const
  })
  return new Map(await Promise.all(counts))
}

const PLACEHOLDERS: Condition = { kind: 'token', param: '_tag', ...PLACEHOLDER_TAG }

/** Leaves out placeholders: ten abandoned calls of one caller make no name frequent. Counts may be some minutes old. */
async function countNamed(unit: UnitOfWork, named: Condition, hasPlaceholders: boolean): Promise<number> {
  const count = await unit.recentCount('Patient', named)
  if (count === 0 || !hasPlaceholders) return count
  return Math.max(0, count - (await unit.recentCount('Patient', { kind: 'all', of: [PLACEHOLDERS, named] })))
}
