/** A strictness profile at work: what it refuses, and what it changes. */
import { FhirError } from '../../fhir/outcome.ts'
import { problemOf } from './checks.ts'
import type { Change, Citation, JudgedRequest, Profile, Rule } from './profile.ts'
import { isFor } from './requests.ts'

/** @throws FhirError as the first rule says that the request does not keep */
export function judge(profile: Profile, request: JudgedRequest): void {
  for (const rule of profile.rules) {
    if (!isFor(rule.on, request)) continue
    const problem = problemOf(rule.check, request)
    if (problem !== undefined) throw refusal(profile, rule, problem)
  }
}

/** The error of a request that was not refused, as the EHR would answer it; other errors stay as they are. */
export function documentedError(profile: Profile, request: JudgedRequest, error: unknown): unknown {
  // A rule that an entry of a Bundle does not keep has been answered already.
  if (!(error instanceof FhirError) || profile.rules.some(({ id }) => id === error.code)) return error
  const rule = profile.rules.find(({ on, check }) => isFor(on, request) && isMeant(check, error))
  return rule === undefined ? error : refusal(profile, rule, error.message)
}

const isMeant = ({ unless }: Rule['check'], { status, issues }: FhirError): boolean =>
  unless !== undefined &&
  (unless.status === undefined || unless.status === status) &&
  (unless.reasons === undefined || issues.some(({ reason = '' }) => unless.reasons?.includes(reason)))

/** The changes to the answer of a request, as one; later ones win. */
export const changesFor = (profile: Profile, request: JudgedRequest): Change['answer'] =>
  Object.assign({}, ...(profile.changes ?? []).filter(({ on }) => isFor(on, request)).map(({ answer }) => answer))

/** @param problem what is wrong */
function refusal({ name, title }: Profile, { id, title: right, answer, citation }: Rule, problem: string): FhirError {
  const { status, code, text } = answer
  return new FhirError(status, {
    code,
    diagnostics: `${name} refuses this (rule ${id}): ${problem}. Right is: ${right}. ${said(title, citation)}`,
    reason: id,
    ...(text === undefined ? {} : { text }),
  })
}

const KINDS = { primary: 'documented', secondary: 'said of it by others', measured: 'measured' }

/** `Oracle Health, documented: "…" (https://…, 2024-05-02)` */
const said = (title: string, { quote, address, date, kind }: Citation): string =>
  `${title}, ${KINDS[kind]}: "${quote}" (${address}, ${date})`
