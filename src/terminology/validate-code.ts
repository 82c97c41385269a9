/**
 * Whether a code is right: https://hl7.org/fhir/R4/valueset-operation-validate-code.html and
 * https://hl7.org/fhir/R4/codesystem-operation-validate-code.html.
 */
import type { ValueSet } from 'fhir/r4'
import type { Concepts } from './concepts.ts'
import { displayIn, sameText } from './language.ts'
import type { Code, Member, Membership } from './member.ts'
import { type Gap, gapError } from './missing-terms.ts'
import { systemMembership } from './system-part.ts'
import type { Terminology } from './terminology.ts'
import { membership } from './value-set.ts'

/** A code as it is recorded, with the name that stands beside it. */
export interface RecordedCode extends Code {
  readonly display?: string
}

export interface CodeVerdict {
  readonly result: boolean
  /** Why not; or a hint, where the code is right. */
  readonly message?: string
  /** The name to show for the code, in the language asked for where there is one. */
  readonly display?: string
}

export interface ValidateOptions {
  /** Codes that only group others are right here. */
  readonly abstract?: boolean
  readonly displayLanguage?: string
}

/**
 * One of `codes` must be right: those of a CodeableConcept say the same in several systems.
 * @throws FhirError 422 when none is known to be right, and of one it cannot be told
 */
export function validateInValueSet(
  terminology: Terminology,
  valueSet: ValueSet,
  codes: readonly RecordedCode[],
  options: ValidateOptions,
): CodeVerdict {
  const where = `the value set ${valueSet.url ?? 'of the request'}`
  return bestOf(codes.map((code) => verdictOn(membership(terminology, valueSet, code), code, where, options)))
}

/** The same for a code system: codes of another system are not in it. */
export function validateInCodeSystem(
  terminology: Terminology,
  { url, version }: { readonly url: string; readonly version: string | undefined },
  codes: readonly RecordedCode[],
  options: ValidateOptions,
): CodeVerdict {
  const part = { system: url, ...(version === undefined ? {} : { version }) }
  const where = `the code system ${version === undefined ? url : `${url}|${version}`}`
  return bestOf(codes.map((code) => verdictOn(systemMembership(terminology, part, code), code, where, options)))
}

type Judged = CodeVerdict | { readonly gap: Gap }

function bestOf(judged: readonly Judged[]): CodeVerdict {
  const verdicts = judged.filter((one) => 'result' in one)
  const right = verdicts.find(({ result }) => result)
  if (right !== undefined) return right
  const [gap] = judged.filter((one) => 'gap' in one)
  if (gap !== undefined) throw gapError(gap.gap)
  const [first] = verdicts
  const message = verdicts.map(({ message }) => message).join('; ')
  return { ...first, result: false, message: message === '' ? 'There is no coding to check' : message }
}

function verdictOn(found: Membership, code: RecordedCode, where: string, options: ValidateOptions): Judged {
  if (found.is === 'unknown') return { gap: found.gap }
  const what = `The code ${code.code} of ${code.system}`
  if (found.is === 'out') return { result: false, message: `${what} is not in ${where}` }
  const { member } = found
  const name = displayIn(options.displayLanguage, member.display, member.designations)
  const display = name === undefined ? {} : { display: name }
  if (member.isAbstract && options.abstract !== true) {
    const message = `${what} is abstract: it groups other codes, and is right only where abstract=true says that such codes are`
    return { result: false, message, ...display }
  }
  if (code.display !== undefined && !isCalled(member, code.display))
    return {
      result: false,
      message: `The display "${code.display}" is wrong for ${code.code}; ${named(name)}`,
      ...display,
    }
  return { result: true, ...(member.isInactive ? { message: `${what} is inactive` } : {}), ...display }
}

const named = (name: string | undefined): string =>
  name === undefined ? 'it has no display here' : `its display is "${name}"`

/** By the display of the value set or the code system, or a designation. */
function isCalled(member: Member, display: string): boolean {
  const own = ownDisplay(member.concepts, member.code)
  const names = [member.display, own, ...member.designations.map(({ value }) => value)]
  return names.some((name) => name !== undefined && sameText(name, display))
}

const ownDisplay = (concepts: Concepts | undefined, code: string): string | undefined =>
  concepts?.find(code)?.definition.display
