/**
 * Profiles that a resource declares in meta.profile, enforced by the clinic's policy: off, warn or reject. Profiles
 * that the clinic has stored come before those of R4 itself; they apply from the moment they are stored.
 */
import type { StructureDefinition } from 'fhir/r4'
import { type ProfilePolicy, readSettings } from '../clinics/settings.ts'
import { FhirError, type Issue } from '../fhir/outcome.ts'
import { type AnyResource, isObject } from '../fhir/resource.ts'
import { checkProfiles, declaredBy, type ProfileCheckRequest } from '../profiles/check.ts'
import { type FindDefinitions, loadProfiles } from '../profiles/profile.ts'
import type { Context } from './context.ts'
import { chunks, clinicTerminology, limitedDefinitions, parsedOnce, URLS_PER_SEARCH, uriQuery } from './terminology.ts'

/** The policy of the clinic of `ctx`: its own setting, else that of the server. */
export const profilePolicy = async (ctx: Context): Promise<ProfilePolicy> =>
  (await readSettings(ctx.unit, ctx.clinic)).policies.profiles ?? ctx.profilePolicy

/** All issues that the profiles find in the resource, with what the clinic of `ctx` has stored now. */
export function profileIssues(ctx: Context, question: Omit<ProfileCheckRequest, 'now'>): Promise<readonly Issue[]> {
  const find = findIn(ctx)
  return checkProfiles(
    { ...question, now: ctx.now },
    {
      profiles: (canonicals) => loadProfiles(find, canonicals),
      terminology: (request) => clinicTerminology(ctx, request),
    },
  )
}

/** The same for a write, under the policy of the clinic; none where the resource declares no profile. */
export async function declaredProfileIssues(ctx: Context, resource: AnyResource): Promise<readonly Issue[]> {
  if (!declaresProfiles(resource)) return []
  const policy = await profilePolicy(ctx)
  return policy === 'off' ? [] : profileIssues(ctx, questionOf(resource, policy))
}

const questionOf = (resource: AnyResource, policy: ProfilePolicy): Omit<ProfileCheckRequest, 'now'> => ({
  resource: { ...resource },
  profiles: [],
  unknownProfile: policy === 'reject' ? 'error' : 'warning',
  thorough: false,
})

/** The resource itself, or a resource in it. */
function declaresProfiles(resource: unknown): boolean {
  if (!isObject(resource)) return false
  if (declaredBy(resource).length > 0) return true
  if (listOf(resource['contained']).some(declaresProfiles)) return true
  return listOf(resource['entry']).some((entry) => isObject(entry) && declaresProfiles(entry['resource']))
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** @throws FhirError 422 with all that the profiles report, where the policy is `reject` and the resource breaks one */
export async function enforceProfiles(ctx: Context, resource: AnyResource): Promise<void> {
  if (!declaresProfiles(resource) || (await profilePolicy(ctx)) !== 'reject') return
  const issues = await profileIssues(ctx, questionOf(resource, 'reject'))
  if (issues.some(({ severity }) => severity === 'error')) throw new FhirError(422, issues)
}

/** Characters of text; the objects made from it take several times as much. */
const MAX_CHARACTERS_KEPT = 8_000_000

/** The profile that was made of a definition is kept with it. */
const parsed = parsedOnce<StructureDefinition>(MAX_CHARACTERS_KEPT)

const findIn = (ctx: Context): FindDefinitions => {
  const limited = limitedDefinitions()
  return async (urls) => {
    const all: StructureDefinition[] = []
    for (const some of chunks(urls, URLS_PER_SEARCH)) {
      const found = await ctx.search<StructureDefinition>('StructureDefinition', uriQuery('url', some))
      all.push(...limited(found).map((one) => parsed(ctx.clinic, one)))
    }
    return all
  }
}
