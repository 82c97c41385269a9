/** Extensions against their definitions: https://hl7.org/fhir/R4/extensibility.html, https://hl7.org/fhir/R4/defining-extensions.html#context. */
import type { StructureDefinitionContext } from 'fhir/r4'
import { isObject } from '../fhir/resource.ts'
import type { Findings } from './findings.ts'
import { chainOf, type Item } from './item.ts'
import type { Profile } from './profile.ts'
import type { Walk } from './walk.ts'

export const isExtension = ({ name, type }: Item): boolean =>
  type === 'Extension' && (name === 'extension' || name === 'modifierExtension')

/** The inner extensions of a complex one have short names, which its definition tells of. */
const isAbsolute = (url: string): boolean => url.includes(':')

export function checkExtension(item: Item, walk: Walk, findings: Findings): void {
  const url = isObject(item.value) ? item.value['url'] : undefined
  if (typeof url !== 'string' || !isAbsolute(url)) return
  const found = walk.knowledge.find(url)
  if (found.is === 'profile' && found.profile.type === 'Extension') {
    checkPlace(item, found.profile, findings)
    walk.check(item, found.profile)
  } else if (found.is !== 'wanted') unknownExtension(item, url, findings)
}

function unknownExtension({ name, path }: Item, url: string, findings: Findings): void {
  const what = `has the url ${url}, whose definition is neither stored in this clinic nor part of R4`
  if (name === 'modifierExtension') {
    const said = `${what}; a modifier extension changes the meaning of what it stands in, so it must be known`
    findings.add({ code: 'extension', path, said })
  } else findings.add({ code: 'informational', path, said: `${what}; it is not checked`, severity: 'information' })
}

function checkPlace(item: Item, { canonical, isModifier, context }: Profile, findings: Findings): void {
  const { name, path } = item
  if (isModifier !== (name === 'modifierExtension')) {
    const right = isModifier
      ? 'changes meanings, so it must be a modifierExtension'
      : 'changes no meaning, so it must be an extension'
    findings.add({ code: 'structure', path, said: `is in the wrong place: ${canonical} ${right}` })
  }
  if (context.length === 0 || context.some((one) => isAt(one, item))) return
  const places = context.map(({ type, expression }) =>
    type === 'extension' ? `the extension ${expression}` : expression,
  )
  const said = `is in the wrong place: ${canonical} may stand in ${places.join(', ')}`
  findings.add({ code: 'extension', path, said })
}

/** A place given in FHIRPath is not looked for. */
function isAt({ type, expression }: StructureDefinitionContext, { parent }: Item): boolean {
  if (parent === undefined || type === 'fhirpath') return true
  if (type === 'extension') return isObject(parent.value) && parent.value['url'] === expression
  // The element of a profile or a slice: which that is, its name alone does not tell.
  if (/[#:]/.test(expression) || expression === '*') return true
  const wanted = expression.replaceAll('[x]', '')
  return wanted === 'Element' || namesOf(parent).has(wanted)
}

/** `Patient.contact.name`, `HumanName`, `Patient.contact` and what they are based on, each with the path from there. */
function namesOf(holder: Item): ReadonlySet<string> {
  const names = new Set<string>()
  let path = ''
  for (let at: Item | undefined = holder; at !== undefined; at = at.parent) {
    for (const type of chainOf(at.type)) names.add(`${type}${path}`)
    if (isObject(at.value) && 'resourceType' in at.value) break
    path = `.${at.name}${path}`
  }
  return names
}
