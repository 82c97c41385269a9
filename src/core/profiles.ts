/**
 * Profiles that a resource declares in meta.profile, enforced as the clinic has it: off, warn or reject. The rules are
 * those that the clinic has stored, and behind them those of R4 itself; they hold from the moment they are stored.
 */
import type { StructureDefinition } from 'fhir/r4'
import { type ProfilePolicy, readSettings } from '../clinics/settings.ts'
import { FhirError, type Issue } from '../fhir/outcome.ts'
import { type AnyResource, isObject } from '../fhir/resource.ts'
import { checkProfiles, declaredBy, type ProfileCheckRequest } from '../profiles/check.ts'
import { type FindDefinitions, loadProfiles } from '../profiles/load.ts'
import type { Versioned } from '../repository/repository.ts'
import type { Context } from './context.ts'
import { parsedOnce } from './parsed-definitions.ts'
import type { Provider } from './provider.ts'
import { chunks, clinicTerminology, URLS_PER_SEARCH, uriQuery } from './terminology.ts'

/** What holds in the clinic of `ctx`: its own setting, else that of the server. */
export const profilePolicy = async (ctx: Context): Promise<ProfilePolicy> =>
  (await readSettings(ctx.unit, ctx.clinic)).policies.profiles ?? ctx.profilePolicy

/** All that the profiles have to say of the resource, with what the clinic of `ctx` has stored now. */
export const profileIssues = (ctx: Context, question: ProfileCheckRequest): Promise<readonly Issue[]> =>
  checkProfiles(question, {
    profiles: (canonicals) => loadProfiles(findIn(ctx), canonicals),
    terminology: (valueSets) => clinicTerminology(ctx, { valueSets }),
  })

/** The same for what is written, under the policy of the clinic; nothing where the resource declares no profile. */
export async function declaredProfileIssues(ctx: Context, resource: AnyResource): Promise<readonly Issue[]> {
  if (!declaresProfiles(resource)) return []
  const policy = await profilePolicy(ctx)
  return policy === 'off' ? [] : profileIssues(ctx, questionOf(resource, policy))
}

const questionOf = (resource: AnyResource, policy: ProfilePolicy): ProfileCheckRequest => ({
  resource: { ...resource },
  profiles: [],
  unknownProfile: policy === 'reject' ? 'error' : 'warning',
  extensible: false,
})

/** By itself, or by a resource in it. */
function declaresProfiles(resource: unknown): boolean {
  if (!isObject(resource)) return false
  if (declaredBy(resource).length > 0) return true
  if (listOf(resource['contained']).some(declaresProfiles)) return true
  return listOf(resource['entry']).some((entry) => isObject(entry) && declaresProfiles(entry['resource']))
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** The provider, which under the policy `reject` takes no resource that breaks a profile it declares. */
export function withProfiles(provider: Provider): Provider {
  const { create, update } = provider.interactions
  return {
    ...provider,
    interactions: {
      ...provider.interactions,
      // Last, so that a conflict or a rule of the type is told before; nothing is stored until all is done.
      ...(create && { create: async (ctx, resource) => enforced(ctx, await create(ctx, resource)) }),
      ...(update && {
        update: async (ctx, resource, precondition) => enforced(ctx, await update(ctx, resource, precondition)),
      }),
    },
  }
}

/** @throws FhirError 422 with all that the profiles have to say */
async function enforced(ctx: Context, written: Versioned): Promise<Versioned> {
  const { resource } = written
  if (!declaresProfiles(resource) || (await profilePolicy(ctx)) !== 'reject') return written
  const issues = await profileIssues(ctx, questionOf(resource, 'reject'))
  if (issues.some(({ severity }) => severity === 'error')) throw new FhirError(422, issues)
  return written
}

/** Characters of text; what is made of it takes a few times that. */
const MOST_CHARACTERS_KEPT = 8_000_000

/** The profile that was made of a definition is kept with it. */
const parsed = parsedOnce<StructureDefinition>(MOST_CHARACTERS_KEPT)

const findIn =
  (ctx: Context): FindDefinitions =>
  async (urls) => {
    const searches = chunks(urls, URLS_PER_SEARCH).map((some) =>
      ctx.search<StructureDefinition>('StructureDefinition', uriQuery('url', some)),
    )
    return (await Promise.all(searches)).flat().map((found) => parsed(ctx.clinic, found))
  }
