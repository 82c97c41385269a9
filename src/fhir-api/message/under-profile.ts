/** A request below /as/{profile}: what its profile refuses, and how its answer differs. docs/strictness.md */
import { toOutcome } from '../../fhir/outcome.ts'
import { isObject } from '../../fhir/resource.ts'
import type { Change, JudgedRequest, Media, Strictness } from '../../rehearsal/strictness/profile.ts'
import { changesFor, documentedError, judge } from '../../rehearsal/strictness/strict-profile.ts'
import type { InteractionRequest, InteractionResponse, PathParameters, Route } from './interaction.ts'

interface Routed {
  readonly route: Route
  readonly parameters: PathParameters
}

/**
 * Carries out a request that the profile does not refuse.
 * @throws FhirError as the profile says
 */
export async function underProfile<Result>(
  { profile, media }: Strictness,
  routed: Routed,
  request: InteractionRequest,
  carryOut: () => Promise<Result>,
): Promise<Result> {
  const judged = judgedRequest(routed, request, media)
  judge(profile, judged)
  try {
    return await carryOut()
  } catch (error) {
    throw documentedError(profile, judged, error)
  }
}

/** An answer with the changes to it, of which those to its address and its body are made. */
export interface AnswerUnder {
  readonly response: InteractionResponse
  readonly changes: Change['answer']
}

/** A request carried out, with the changes to its answer. @throws as `underProfile` */
export async function answerUnder(
  strictness: Strictness,
  routed: Routed,
  request: InteractionRequest,
  carryOut: () => Promise<InteractionResponse>,
): Promise<AnswerUnder> {
  const response = await underProfile(strictness, routed, request, carryOut)
  const changes = changesFor(strictness.profile, judgedRequest(routed, request, strictness.media))
  return { response: changedResponse(response, changes, request.base), changes }
}

function judgedRequest({ route, parameters }: Routed, request: InteractionRequest, media: Media): JudgedRequest {
  const { query, body, ifMatch } = request
  const { operation } = parameters
  // A search in a compartment is one of the member type, with the compartment as a further condition.
  const type = route.code === 'search-compartment' ? parameters.member.replace('*', '') : parameters.type
  const title = `${route.method} ${[parameters.type, parameters.member, operation && `$${operation}`].filter(Boolean).join('/')}`
  return { title, interactions: interactionsOf(route, request), type, operation, query, body, ifMatch, media }
}

function interactionsOf({ code, run }: Route, { body, id, ifNoneExist }: InteractionRequest): readonly string[] {
  if (run.kind === 'bundle') return [isObject(body) && body.type === 'batch' ? 'batch' : 'transaction']
  if (code === 'search-compartment') return [code, 'search-type']
  const isConditional = code === 'create' ? ifNoneExist !== undefined : id === '' && CONDITIONAL.has(code)
  return isConditional ? [code, `conditional-${code}`] : [code]
}

const CONDITIONAL: ReadonlySet<string> = new Set(['update', 'patch', 'delete'])

/** The response with the changes to its address and its body. */
function changedResponse(
  response: InteractionResponse,
  { location, outcomeWhenEmpty }: Change['answer'],
  base: string,
): InteractionResponse {
  const changed = location === undefined ? response : withLocation(response, location, base)
  return outcomeWhenEmpty === undefined ? changed : { ...changed, ...withOutcome(response, outcomeWhenEmpty) }
}

function withLocation(
  response: InteractionResponse,
  form: 'unversioned' | 'relative',
  base: string,
): InteractionResponse {
  if (response.location === undefined) return response
  const unversioned = response.location.replace(/\/_history\/[^/]*$/, '')
  return { ...response, location: form === 'relative' ? unversioned.slice(base.length + 1) : unversioned }
}

function withOutcome(
  { text }: InteractionResponse,
  { severity, code, text: said }: NonNullable<Change['answer']['outcomeWhenEmpty']>,
): Pick<InteractionResponse, 'text'> {
  const bundle: unknown = text === undefined ? undefined : JSON.parse(text)
  if (!isObject(bundle) || bundle.type !== 'searchset' || bundle.entry !== undefined) return {}
  const resource = toOutcome([{ severity, code, diagnostics: said }])
  return { text: JSON.stringify({ ...bundle, entry: [{ resource, search: { mode: 'outcome' } }] }) }
}
