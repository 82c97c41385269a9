/** Required bindings: https://hl7.org/fhir/R4/terminologies.html#required. */
import { codesOf } from '../definitions.ts'
import { isObject, itemsOf } from '../resource.ts'
import { abbreviatedList, type Report, shortened } from './report.ts'

export interface Binding {
  readonly url: string
  readonly systems: ReadonlyMap<string, ReadonlySet<unknown>>
  /** Whether a plain code, whose system the element implies, is in the value set. */
  readonly has: (code: unknown) => boolean
  /** The allowed codes, for a message after "allowed:". */
  readonly allowed: string
}

/** Infinite value sets are checked by the syntax of their codes. FHIR has short names for XML, JSON and Turtle. */
const SYNTAXES: ReadonlyMap<string, Pick<Binding, 'has' | 'allowed'>> = new Map([
  syntax(
    'mimetypes',
    /^(?:xml|json|ttl|none|[\w!#$&^.+-]+\/[\w!#$&^.+*-]+(?:\s*;.*)?)$/,
    'a MIME type such as application/pdf',
  ),
  syntax('currencies', /^[A-Z]{3}$/, 'an ISO 4217 currency of three capitals such as USD'),
])

function syntax(id: string, pattern: RegExp, allowed: string): [string, Pick<Binding, 'has' | 'allowed'>] {
  return [`http://hl7.org/fhir/ValueSet/${id}`, { has: (code) => pattern.test(String(code)), allowed }]
}

/** Undefined for a value set whose codes are not available, such as all units. */
export function bindingOf(url: string): Binding | undefined {
  const systems = new Map<string, ReadonlySet<unknown>>()
  const known = SYNTAXES.get(url)
  if (known !== undefined) return { url, systems, ...known }
  const codes = codesOf(url)
  if (codes === undefined) return undefined
  for (const [system, list] of codes) systems.set(system, new Set(list))
  const all = new Set<unknown>([...codes.values()].flat())
  return { url, systems, has: (code) => all.has(code), allowed: abbreviatedList([...codes.values()].flat()) }
}

export function checkCode(report: Report, binding: Binding, code: unknown): void {
  if (!binding.has(code)) {
    report.add(
      'code-invalid',
      `has the code "${shortened(String(code))}", which is not in ${binding.url}; allowed: ${binding.allowed}`,
    )
  }
}

const includes = ({ systems }: Binding, coding: unknown): boolean =>
  isObject(coding) &&
  typeof coding['system'] === 'string' &&
  systems.get(coding['system'])?.has(coding['code']) === true

/** A Coding must be in the value set; for a CodeableConcept one of its codings suffices. */
export function checkCoded(report: Report, binding: Binding, type: string, value: Record<string, unknown>): void {
  const codings = type === 'Coding' ? [value] : itemsOf(value['coding'])
  if (codings.some((coding) => includes(binding, coding)) || hasOnlyExtensions(value)) return
  report.add('code-invalid', wrongCoding(binding, codings))
}

/** A concept that has only extensions, e.g. data-absent-reason. */
const hasOnlyExtensions = ({ coding, code, text, extension }: Record<string, unknown>): boolean =>
  extension !== undefined && coding === undefined && code === undefined && text === undefined

function wrongCoding({ url, systems, allowed }: Binding, codings: readonly unknown[]): string {
  const shown = codings
    .filter(isObject)
    .map(({ system, code }) => `${shortened(String(system ?? 'no system'))} | ${shortened(String(code ?? 'no code'))}`)
  const found = shown.length === 0 ? 'has no coding' : `has ${abbreviatedList(shown)}`
  return `${found}, but must have a coding of ${url}: system ${[...systems.keys()].join(' or ')}, code one of ${allowed}`
}
