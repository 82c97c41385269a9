/**
 * Validates codes: https://hl7.org/fhir/R4/valueset-operation-validate-code.html and
 * https://hl7.org/fhir/R4/codesystem-operation-validate-code.html.
 */

import type { ValueSet } from 'fhir/r4'
import { Meter } from '../isolation/budget.ts'
import { canonicalText } from './canonical.ts'
import type { Concepts } from './concepts.ts'
import { displayIn, folded } from './language.ts'
import { type Code, type Member, type Membership, type UnknownReason, unknownError } from './member.ts'
import { systemMembership } from './system-part.ts'
import type { Terminology } from './terminology.ts'
import { membership } from './value-set.ts'

/** A code with its recorded display. Its system may be empty, where a Coding has none: such a code is in no value set. */
export interface RecordedCode extends Code {
  readonly display?: string
}

export interface CodeVerdict {
  readonly result: boolean
  /** The reason when the result is false, else a hint. */
  readonly message?: string
  /** The display to use for the code, in the requested language if possible. */
  readonly display?: string
}

export interface ValidateOptions {
  /** Accept abstract codes. */
  readonly abstract?: boolean
  readonly displayLanguage?: string
}

/**
 * Valid when any of `codes` is, such as the codings of a CodeableConcept.
 * @throws FhirError 422 when none is known to be valid, and the validity of one is unknown
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

/**
 * Likewise for a code system; codes of another system are not in it.
 * @throws FhirError 422 when none is known to be valid, and the validity of one is unknown
 */
export function validateInCodeSystem(
  terminology: Terminology,
  { url, version }: { readonly url: string; readonly version: string | undefined },
  codes: readonly RecordedCode[],
  options: ValidateOptions,
): CodeVerdict {
  const part = { system: url, ...(version === undefined ? {} : { version }) }
  const where = `the code system ${canonicalText({ url, version })}`
  return bestOf(codes.map((code) => verdictOn(systemMembership(terminology, part, code), code, where, options)))
}

type CodeResult = CodeVerdict | { readonly reason: UnknownReason }

function bestOf(results: readonly CodeResult[]): CodeVerdict {
  const verdicts = results.filter((one) => 'result' in one)
  const valid = verdicts.find(({ result }) => result)
  if (valid !== undefined) return valid
  const [unknown] = results.filter((one) => 'reason' in one)
  if (unknown !== undefined) throw unknownError(unknown.reason)
  const [first] = verdicts
  const message = verdicts.map(({ message }) => message).join('; ')
  return { ...first, result: false, message: message === '' ? 'There is no coding to check' : message }
}

function verdictOn(found: Membership, code: RecordedCode, where: string, options: ValidateOptions): CodeResult {
  if (found.status === 'unknown') return { reason: found.reason }
  const what = `The code ${code.code} ${code.system === '' ? 'without a system' : `of ${code.system}`}`
  if (found.status === 'out') return { result: false, message: `${what} is not in ${where}` }
  const { member } = found
  const name = displayIn(options.displayLanguage, member.display, member.designations)
  const display = name === undefined ? {} : { display: name }
  if (member.isAbstract && options.abstract !== true) {
    const message = `${what} is abstract: it only groups other codes, and is valid only with abstract=true`
    return { result: false, message, ...display }
  }
  if (code.display !== undefined && !hasDisplay(member, code.display))
    return {
      result: false,
      message: `The display "${code.display}" is wrong for ${code.code}; ${named(name)}`,
      ...display,
    }
  return { result: true, ...(member.isInactive ? { message: `${what} is inactive` } : {}), ...display }
}

const named = (name: string | undefined): string =>
  name === undefined ? 'it has no display here' : `its display is "${name}"`

/** Characters that are folded in one step. */
const FOLDED_IN_A_STEP = 40

/**
 * The display of the code, where `display` is neither that nor another of its names; undefined where it is right, or
 * where the code has no display.
 * @throws BudgetError
 */
export function displayMismatch(member: Member, display: string): string | undefined {
  const right = ownDisplay(member.concepts, member.code)
  return right === undefined || hasDisplay(member, display) ? undefined : right
}

/** Whether it is the display in the value set or code system, or a designation. */
function hasDisplay(member: Member, display: string): boolean {
  const own = ownDisplay(member.concepts, member.code)
  const names = [member.display, own, ...member.designations.map(({ value }) => value)]
  const meter = new Meter('comparing the displays of its codes')
  const given = folded(display)
  return names.some((name = '') => {
    meter.pay(1 + name.length / FOLDED_IN_A_STEP)
    return name !== '' && folded(name) === given
  })
}

const ownDisplay = (concepts: Concepts | undefined, code: string): string | undefined =>
  concepts?.find(code)?.definition.display
