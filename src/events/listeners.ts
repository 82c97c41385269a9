/**
 * The Subscriptions of a clinic that listen, compiled, by the types of resources. They are kept until the record of those who
 * listen changes, which every start and stop of a Subscription does.
 */
import { LRUCache } from 'lru-cache'
import type { Context, ServedSearch } from '../core/context.ts'
import { oncePer, upTo } from '../fhir/memoize.ts'
import { FhirError } from '../fhir/outcome.ts'
import { yieldingWhenLong } from '../isolation/long-work.ts'
import { SUBSCRIBED, SUBSCRIBED_KEY } from '../repository/event-feed.ts'
import { CUSTOM_DECLARATION, CUSTOM_KEY } from '../repository/record-kinds.ts'
import { compileMatcher } from './matcher.ts'
import type { CompiledMatcher } from './resource-event.ts'
import { isListening, type StateRecord, SUBSCRIPTION, type SubscriptionState } from './state.ts'

export interface Listener extends CompiledMatcher {
  /** Subscription.id. */
  readonly id: string
}

type ByType = ReadonlyMap<string, readonly Listener[]>

interface Known {
  /** The versions of the records that they are made of. */
  readonly versions: string
  readonly byType: ByType
}

/** Clinics whose listeners are kept, and matchers of all; for each server of this process, as another one may have another store. */
const keptBy = oncePer((_server: ServedSearch) => ({
  known: new LRUCache<string, Known>(upTo(200)),
  matchers: new LRUCache<string, { readonly matcher: CompiledMatcher | undefined }>(upTo(10_000)),
}))

/** States that are read at a time. */
const PAGE = 200

export async function listenersOf(ctx: Context): Promise<ByType> {
  const { records, generation } = ctx.unit
  const subscribed = await records.read(SUBSCRIBED, SUBSCRIBED_KEY)
  const declared = await records.readRecent(CUSTOM_DECLARATION, CUSTOM_KEY)
  const [name, versions] = [`${ctx.clinic}~${generation}`, `${subscribed?.version ?? 0}/${declared?.version ?? 0}`]
  const { known } = keptBy(ctx.servedSearch)
  const kept = known.get(name)
  if (kept?.versions === versions) return kept.byType
  const byType = await compiledAnew(ctx, `${name}/${declared?.version ?? 0}`)
  known.set(name, { versions, byType })
  return byType
}

async function compiledAnew(ctx: Context, scope: string): Promise<ByType> {
  const byType = new Map<string, Listener[]>()
  const pause = yieldingWhenLong()
  for await (const { key: id, value } of listening(ctx)) {
    await pause()
    const matcher = await matcherOf(ctx, scope, value)
    if (matcher === undefined) continue
    const listener = listenerOf(id, matcher)
    for (const type of matcher.types) {
      const others = byType.get(type)
      if (others === undefined) byType.set(type, [listener])
      else others.push(listener)
    }
  }
  return byType
}

/** A Subscription tells nothing about itself: its failure would be its next event. */
const listenerOf = (id: string, matcher: CompiledMatcher): Listener => ({
  ...matcher,
  id,
  match: (event) => (event.type === 'Subscription' && event.id === id ? undefined : matcher.match(event)),
})

async function* listening({ unit: { records } }: Context): AsyncGenerator<StateRecord> {
  for (let after = ''; ; ) {
    const page = await records.list(SUBSCRIPTION, { after, limit: PAGE })
    for (const record of page) if (isListening(record.value)) yield record
    const last = page.at(-1)
    if (last === undefined || page.length < PAGE) return
    after = last.key
  }
}

/** Undefined where the criteria are no longer valid, as after the removal of a search parameter. */
async function matcherOf(ctx: Context, scope: string, state: SubscriptionState): Promise<CompiledMatcher | undefined> {
  const { kind, criteria, filters } = state
  const name = JSON.stringify([scope, kind, criteria, filters])
  const { matchers } = keptBy(ctx.servedSearch)
  const kept = matchers.get(name)
  if (kept !== undefined) return kept.matcher
  const matcher = await compiled(ctx, state)
  matchers.set(name, { matcher })
  return matcher
}

async function compiled(ctx: Context, state: SubscriptionState): Promise<CompiledMatcher | undefined> {
  try {
    return await compileMatcher(ctx, state)
  } catch (error) {
    if (error instanceof FhirError && error.status < 500) return undefined
    throw error
  }
}
