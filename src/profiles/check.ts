/**
 * A resource against the profiles that it declares, those that a request names, and the definitions of its extensions:
 * https://hl7.org/fhir/R4/validation.html. What R4 itself asks for is checked elsewhere (fhir/validate.ts).
 */
import type { EvaluationLimits } from '../fhir/fhirpath/scope.ts'
import type { Issue } from '../fhir/outcome.ts'
import { isObject } from '../fhir/resource.ts'
import type { Terminology } from '../terminology/terminology.ts'
import { checkExtensible } from './extensible.ts'
import { checkExtension, isExtension } from './extensions.ts'
import { Findings } from './findings.ts'
import { newLimits } from './invariant.ts'
import { allChildren, type Item, isA, itemOf } from './item.ts'
import { Knowledge } from './known-definitions.ts'
import type { Profile } from './profile.ts'
import { OutOfWork, Walk } from './walk.ts'

export interface Question {
  readonly resource: Readonly<Record<string, unknown>>
  /** Canonicals that the request names. */
  readonly profiles: readonly string[]
  /** How grave it is that a profile in meta.profile is not known. */
  readonly unknownProfile: 'error' | 'warning'
  /** Whether the extensible bindings of R4 itself are looked at, which only warn. */
  readonly extensible: boolean
}

/** Where a check finds what it needs. */
export interface Sources {
  /** By canonical; undefined for one that there is not. */
  readonly profiles: (canonicals: readonly string[]) => Promise<ReadonlyMap<string, Profile | undefined>>
  /** One that holds these value sets, as far as there are any. */
  readonly terminology: (valueSets: readonly string[]) => Promise<Terminology>
}

/** Items that expressions look at, and ten times the elements that the check looks at: about a second. */
const MAX_WORK = 3_000_000
/** Times that a check may find that it needs more. */
const MAX_ROUNDS = 12
/** Profiles, and value sets, that one check may need. */
const MAX_DEFINITIONS_READ = 300
/** Resources within resources, and elements within elements. */
const MAX_DEPTH = 100

/** The issues, each with its FHIRPath; none when there is nothing to say. */
export async function checkProfiles(question: Question, sources: Sources): Promise<readonly Issue[]> {
  const knowledge = new Knowledge()
  const limits = newLimits(MAX_WORK)
  let read = 0
  for (let round = 1; ; round++) {
    const issues = checkOnce(question, knowledge, limits)
    if (knowledge.isComplete || knowledge.isFinal || limits.left < 0) return issues
    read += knowledge.wantedProfiles.size + knowledge.wantedValueSets.size
    knowledge.isFinal = round >= MAX_ROUNDS || read > MAX_DEFINITIONS_READ
    if (!knowledge.isFinal) await readWanted(knowledge, sources)
  }
}

async function readWanted(knowledge: Knowledge, { profiles, terminology }: Sources): Promise<void> {
  const wanted = [...knowledge.wantedProfiles]
  if (wanted.length > 0) {
    const found = await profiles(wanted)
    for (const canonical of wanted) knowledge.addProfile(canonical, found.get(canonical))
  }
  if (knowledge.wantedValueSets.size > 0) {
    const valueSets = [...knowledge.valueSets, ...knowledge.wantedValueSets]
    knowledge.setTerminology(await terminology(valueSets), valueSets)
  }
}

function checkOnce(question: Question, knowledge: Knowledge, limits: EvaluationLimits): readonly Issue[] {
  const root = itemOf(question.resource)
  if (root === undefined) return []
  const findings = new Findings()
  const walk = new Walk(knowledge, findings, limits)
  try {
    checkAll(root, question, walk, findings)
    return findings.issues
  } catch (error) {
    if (error instanceof OutOfWork) return [...findings.issues, tooCostly(root.type)]
    throw error
  }
}

function checkAll(root: Item, question: Question, walk: Walk, findings: Findings): void {
  const { profiles, unknownProfile, extensible } = question
  for (const canonical of profiles) checkNamed(root, canonical, walk, findings)
  for (const item of everyItem(root, walk)) {
    if (extensible) checkExtensible(item, walk.knowledge, findings)
    if (isExtension(item)) checkExtension(item, walk, findings)
    else if (item.value === item.resource) checkDeclared(item, walk, findings, unknownProfile)
  }
}

const tooCostly = (type: string): Issue => {
  const text = `${type} is not checked to its end: it takes more than ${MAX_WORK} steps to compare it with its profiles`
  return { severity: 'error', code: 'too-costly', diagnostics: text, text, expression: type }
}

/** Everything in a resource, itself first. */
function* everyItem(item: Item, walk: Walk, depth = 0): Generator<Item> {
  walk.step()
  if (walk.isOver || depth > MAX_DEPTH) return
  yield item
  for (const child of allChildren(item)) yield* everyItem(child, walk, depth + 1)
}

/** A profile that the request asks for must be there. */
function checkNamed(root: Item, canonical: string, walk: Walk, findings: Findings): void {
  const said = `cannot be checked: the profile ${canonical} is neither stored in this clinic nor part of R4; store its StructureDefinition first`
  apply(root, canonical, walk, findings, { code: 'not-found', path: root.path, said })
}

function checkDeclared(item: Item, walk: Walk, findings: Findings, severity: 'error' | 'warning'): void {
  for (const [index, canonical] of declaredBy(item.value).entries()) {
    const path = `${item.path}.meta.profile[${index}]`
    const said = `is ${canonical}, a profile that is neither stored in this clinic nor part of R4; store its StructureDefinition, or leave it out`
    apply(item, canonical, walk, findings, { code: 'not-found', path, said, severity })
  }
}

/** Canonicals in meta.profile. */
export function declaredBy(resource: unknown): readonly string[] {
  const meta = isObject(resource) ? resource['meta'] : undefined
  const profile = isObject(meta) ? meta['profile'] : undefined
  return Array.isArray(profile) ? profile.filter((one) => typeof one === 'string') : []
}

function apply(
  item: Item,
  canonical: string,
  walk: Walk,
  findings: Findings,
  unknown: Parameters<Findings['add']>[0],
): void {
  const found = walk.knowledge.find(canonical)
  switch (found.is) {
    case 'wanted':
      break
    case 'unknown':
      findings.add(unknown)
      break
    case 'type':
      if (!isA(item.type, found.type)) findings.add(wrongType(unknown.path, canonical, item.type, found.type))
      break
    case 'profile':
      for (const problem of found.profile.problems) findings.add(partly(unknown.path, canonical, problem))
      if (isA(item.type, found.profile.type)) walk.check(item, found.profile)
      else findings.add(wrongType(unknown.path, canonical, item.type, found.profile.type))
  }
}

const wrongType = (path: string, canonical: string, type: string, wanted: string) =>
  ({ code: 'structure', path, said: `names ${canonical}, which is a profile of ${wanted}, not of ${type}` }) as const

const partly = (path: string, canonical: string, problem: string) =>
  ({
    code: 'incomplete',
    path,
    said: `names ${canonical}, which is applied in part: ${problem}`,
    severity: 'warning',
  }) as const
