/** Resources as $validate checks them, without a server. */
import type { Terms, TermsType } from '../../../src/terminology/packaged.ts'
import { brief, issuesOf } from '../../support/profiles.ts'

export const thoroughIssues = (resource: object, terms: readonly Terms[TermsType][] = []) =>
  issuesOf(resource, { definitions: [], terms, thorough: true }, [])

/** `error value Bundle.entry[0].fullUrl`, for each issue. */
export const said = async (resource: object, terms?: readonly Terms[TermsType][]): Promise<readonly string[]> =>
  brief(await thoroughIssues(resource, terms))

export const patient = (elements: object = {}) => ({ resourceType: 'Patient', ...elements })
