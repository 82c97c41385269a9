/**
 * Validates extensions against their definitions: https://hl7.org/fhir/R4/extensibility.html,
 * https://hl7.org/fhir/R4/defining-extensions.html#context.
 */
import type { StructureDefinitionContext } from 'fhir/r4'
import { CONTENT_URL } from '../fhir/content/marker.ts'
import { isObject } from '../fhir/resource.ts'
import type { Findings } from './findings.ts'
import { UNREAD } from './known-definitions.ts'
import type { Profile } from './profile.ts'
import type { ProfileChecker } from './profile-checker.ts'
import { type TypedElement, typeHierarchy } from './typed-element.ts'

export const isExtension = ({ name, type }: TypedElement): boolean =>
  type === 'Extension' && (name === 'extension' || name === 'modifierExtension')

/** The parts of a complex extension have relative urls, which are checked by its definition. */
const isAbsolute = (url: string): boolean => url.includes(':')

export function checkExtension(item: TypedElement, checker: ProfileChecker, findings: Findings): void {
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
