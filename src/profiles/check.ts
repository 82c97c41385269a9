/**
 * Validates a resource against the profiles that it declares, those that a request names, and the definitions of its
 * extensions: https://hl7.org/fhir/R4/validation.html, https://hl7.org/fhir/R4/extensibility.html,
 * https://hl7.org/fhir/R4/defining-extensions.html#context. The base definition of R4 is checked by
 * fhir/validate/validate.ts.
 */

import type { StructureDefinitionContext } from 'fhir/r4'
import { CONTENT_URL } from '../fhir/content/marker.ts'
import { typeHierarchy } from '../fhir/definitions.ts'
import type { EvaluationLimits } from '../fhir/fhirpath/scope.ts'
import type { Issue } from '../fhir/outcome.ts'
import { isObject, itemsOf } from '../fhir/resource.ts'
import { spend } from '../isolation/budget.ts'
import type { TermRequest } from '../terminology/gather.ts'
import type { Terminology } from '../terminology/terminology.ts'
import { Findings } from './findings.ts'
import { newLimits } from './invariant.ts'
import { KnownDefinitions, UNREAD } from './known-definitions.ts'
import type { Profile } from './profile.ts'
import { ProfileChecker, WorkLimitExceeded } from './profile-checker.ts'
import { checkThoroughly } from './thorough/thorough.ts'
import { allChildElements, isA, rootElement, type TypedElement } from './typed-element.ts'

export interface ProfileCheckRequest {
  readonly resource: Readonly<Record<string, unknown>>
  /** Canonicals named by the request. */
  readonly profiles: readonly string[]
  /** The severity of an unknown profile in meta.profile. */
  readonly unknownProfile: 'error' | 'warning'
  /** Whether to make the further checks for which no write is refused; see thorough/thorough.ts. */
  readonly thorough: boolean
  /** The time of now() and today() in invariants: milliseconds since 1970 UTC, by the clock of the clinic. */
  readonly now: number
}

/** Where a check loads definitions from. */
export interface Sources {
  /** Profiles by canonical; undefined for an unknown one. */
  readonly profiles: (canonicals: readonly string[]) => Promise<ReadonlyMap<string, Profile | undefined>>
  /** A terminology with these value sets and code systems, as far as they exist. */
  readonly terminology: (request: TermRequest) => Promise<Terminology>
}

/** Items visited by expressions, plus ten times the elements visited by the check: about a second. */
const MAX_WORK = 3_000_000
/** How often a check may be repeated with more definitions, each named by those before. */
const MAX_ROUNDS = 12
/** Profiles and extensions that are looked up at a time: a resource may name very many. */
const LOOKUPS_AT_A_TIME = 400
/** Looking up one of many. */
const STEPS_PER_LOOKUP = 10
/** Nesting of resources and elements. */
const MAX_DEPTH = 100

/** The issues found, each with its FHIRPath. @throws BudgetError */
export async function checkProfiles(request: ProfileCheckRequest, sources: Sources): Promise<readonly Issue[]> {
  const definitions = new KnownDefinitions()
  const limits = newLimits(MAX_WORK)
  for (let round = 1; ; round++) {
    const issues = checkOnce(request, definitions, limits)
    if (definitions.isComplete || definitions.isFinal || limits.left < 0) return issues
    definitions.isFinal = round >= MAX_ROUNDS
    if (!definitions.isFinal) await readPending(definitions, sources)
  }
}

async function readPending(definitions: KnownDefinitions, { profiles, terminology }: Sources): Promise<void> {
  const pending = [...definitions.pendingProfiles]
  for (let start = 0; start < pending.length; start += LOOKUPS_AT_A_TIME) {
    const some = pending.slice(start, start + LOOKUPS_AT_A_TIME)
    spend(some.length * STEPS_PER_LOOKUP, 'the profiles and extensions that it names')
    const found = await profiles(some)
    for (const canonical of some) definitions.addProfile(canonical, found.get(canonical))
  }
  if (definitions.needsTerms) definitions.setTerminology(await terminology(definitions.terms))
}

function checkOnce(
  request: ProfileCheckRequest,
  definitions: KnownDefinitions,
  limits: EvaluationLimits,
): readonly Issue[] {
  const root = rootElement(request.resource)
  if (root === undefined) return []
  const findings = new Findings()
  const checker = new ProfileChecker(definitions, findings, { limits, now: request.now })
  try {
    checkAll(root, request, checker, findings)
    return findings.issues
  } catch (error) {
    if (error instanceof WorkLimitExceeded) return [...findings.issues, tooCostly(root.type)]
    throw error
  }
}

function checkAll(root: TypedElement, request: ProfileCheckRequest, checker: ProfileChecker, findings: Findings): void {
  const { profiles, unknownProfile, thorough } = request
  for (const canonical of profiles) checkNamed(root, canonical, checker, findings)
  for (const item of allElements(root, checker)) {
    if (thorough) checkThoroughly(item, checker.definitions, findings)
    if (isExtension(item)) checkExtension(item, checker, findings)
    else if (item.value === item.resource) checkDeclared(item, checker, findings, unknownProfile)
  }
}

const tooCostly = (type: string): Issue => {
  const text = `${type} is not checked completely: to compare it with its profiles takes more than ${MAX_WORK} steps, or more memory than one expression may take`
  return { severity: 'error', code: 'too-costly', diagnostics: text, text, expression: type }
}

/** The resource and all its descendants. */
function* allElements(item: TypedElement, checker: ProfileChecker, depth = 0): Generator<TypedElement> {
  checker.step()
  if (checker.isOver || depth > MAX_DEPTH) return
  yield item
  for (const child of allChildElements(item)) yield* allElements(child, checker, depth + 1)
}

/** An unknown profile that the request names is an error. */
function checkNamed(root: TypedElement, canonical: string, checker: ProfileChecker, findings: Findings): void {
  const message = `cannot be checked: the profile ${canonical} is neither stored in this clinic nor part of R4; store its StructureDefinition first`
  apply(root, canonical, checker, findings, { code: 'not-found', path: root.path, message })
}

function checkDeclared(
  item: TypedElement,
  checker: ProfileChecker,
  findings: Findings,
  severity: 'error' | 'warning',
): void {
  for (const [index, canonical] of declaredBy(item.value).entries()) {
    const path = `${item.path}.meta.profile[${index}]`
    const message = `is ${canonical}, a profile that is neither stored in this clinic nor part of R4; store its StructureDefinition, or leave it out`
    apply(item, canonical, checker, findings, { code: 'not-found', path, message, severity })
  }
}

/** Canonicals in meta.profile. */
export function declaredBy(resource: unknown): readonly string[] {
  const meta = isObject(resource) ? resource['meta'] : undefined
  const profile = isObject(meta) ? meta['profile'] : undefined
  return itemsOf(profile).filter((one) => typeof one === 'string')
}

function apply(
  item: TypedElement,
  canonical: string,
  checker: ProfileChecker,
  findings: Findings,
  unknown: Parameters<Findings['add']>[0],
): void {
  const found = checker.definitions.find(canonical)
  switch (found.kind) {
    case 'pending':
      break
    case 'unknown':
      findings.add(unknown)
      break
    case 'unread':
      findings.add({ ...unknown, code: 'too-costly', message: `names ${canonical}, ${UNREAD}` })
      break
    case 'type':
      if (!isA(item.type, found.type)) findings.add(wrongType(unknown.path, canonical, item.type, found.type))
      break
    case 'profile':
      for (const problem of found.profile.problems) findings.add(appliedInPart(unknown.path, canonical, problem))
      if (isA(item.type, found.profile.type)) checker.check(item, found.profile)
      else findings.add(wrongType(unknown.path, canonical, item.type, found.profile.type))
  }
}

const wrongType = (path: string, canonical: string, type: string, profiledType: string) =>
  ({
    code: 'structure',
    path,
    message: `names ${canonical}, which is a profile of ${profiledType}, not of ${type}`,
  }) as const

const appliedInPart = (path: string, canonical: string, problem: string) =>
  ({
    code: 'incomplete',
    path,
    message: `names ${canonical}, which is applied in part: ${problem}`,
    severity: 'warning',
  }) as const

const isExtension = ({ name, type }: TypedElement): boolean =>
  type === 'Extension' && (name === 'extension' || name === 'modifierExtension')

/** The parts of a complex extension have relative urls, which are checked by its definition. */
const isAbsolute = (url: string): boolean => url.includes(':')

function checkExtension(item: TypedElement, checker: ProfileChecker, findings: Findings): void {
  const url = isObject(item.value) ? item.value['url'] : undefined
  // A marker stands for a value, and is none of the client's.
  if (typeof url !== 'string' || !isAbsolute(url) || url === CONTENT_URL) return
  const found = checker.definitions.find(url)
  if (found.kind === 'pending') return
  if (found.kind === 'profile' && found.profile.type === 'Extension') {
    checkPlace(item, found.profile, findings)
    checker.check(item, found.profile)
  } else if (found.kind === 'unread') unreadExtension(item, url, findings)
  else unknownExtension(item, url, findings)
}

const unreadExtension = ({ path }: TypedElement, url: string, findings: Findings): void =>
  findings.add({ code: 'too-costly', path, message: `has the url of ${url}, ${UNREAD}`, severity: 'warning' })

function unknownExtension({ name, path }: TypedElement, url: string, findings: Findings): void {
  const what = `has the url ${url}, whose definition is neither stored in this clinic nor part of R4`
  if (name === 'modifierExtension') {
    const message = `${what}; a modifier extension changes the meaning of its element, so it must be known`
    findings.add({ code: 'extension', path, message })
  } else findings.add({ code: 'informational', path, message: `${what}; it is not checked`, severity: 'information' })
}

function checkPlace(item: TypedElement, { canonical, isModifier, context }: Profile, findings: Findings): void {
  const { name, path } = item
  if (isModifier !== (name === 'modifierExtension')) {
    const right = isModifier
      ? 'changes meanings, so it must be a modifierExtension'
      : 'changes no meaning, so it must be an extension'
    findings.add({ code: 'structure', path, message: `is in the wrong place: ${canonical} ${right}` })
  }
  if (context.length === 0 || context.some((one) => isAt(one, item))) return
  const places = context.map(({ type, expression }) =>
    type === 'extension' ? `the extension ${expression}` : expression,
  )
  const message = `is in the wrong place: ${canonical} may only be used in ${places.join(', ')}`
  findings.add({ code: 'extension', path, message })
}

/** Contexts given as FHIRPath are not checked. */
function isAt({ type, expression = '*' }: StructureDefinitionContext, { parent }: TypedElement): boolean {
  if (parent === undefined || type === 'fhirpath') return true
  if (type === 'extension') return isObject(parent.value) && parent.value['url'] === expression
  // An element of a profile or slice cannot be identified by its name alone.
  if (/[#:]/.test(expression) || expression === '*') return true
  const path = expression.replaceAll('[x]', '')
  return path === 'Element' || pathsOf(parent).has(path)
}

/** The paths that denote the element: `Patient.contact.name`, `HumanName`, and the same from its base types. */
function pathsOf(holder: TypedElement): ReadonlySet<string> {
  const paths = new Set<string>()
  let path = ''
  for (let at: TypedElement | undefined = holder; at !== undefined; at = at.parent) {
    for (const type of typeHierarchy(at.type)) paths.add(`${type}${path}`)
    if (isObject(at.value) && 'resourceType' in at.value) break
    path = `.${at.name}${path}`
  }
  return paths
}
