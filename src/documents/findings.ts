/** Findings about a document as issues: element, problem, valid form, example, rule. */
import type { DocumentPolicies } from '../clinics/document-settings.ts'
import type { Issue } from '../fhir/outcome.ts'
import { type DocumentRuleId, documentRule } from './rules.ts'

export interface Finding {
  readonly rule: DocumentRuleId
  /** The element below the DocumentReference: `content[0].attachment.data`. */
  readonly element: string
  /** The problem, as the end of a sentence that begins with the element: `is missing`. */
  readonly problem: string
}

/** Errors first; findings without a severity under the strictness of the clinic are left out. */
export function issuesOf(findings: readonly Finding[], policies: DocumentPolicies): readonly Issue[] {
  const issues = findings.flatMap((finding) => issueOf(finding, policies))
  return issues.toSorted((one, other) => rank(one) - rank(other))
}

const rank = ({ severity }: Issue): number => (severity === 'error' ? 0 : 1)

function issueOf({ rule, element, problem }: Finding, policies: DocumentPolicies): readonly Issue[] {
  const severity = severityOf(rule, policies)
  if (severity === undefined) return []
  const { asks, example } = documentRule(rule)
  const expression = `DocumentReference.${element}`
  return [
    {
      severity,
      code: 'business-rule',
      diagnostics: `${expression} ${problem}; ${asks}, e.g. ${example} (rule ${rule} of documents, ${policies.profile})`,
      expression,
      reason: rule,
    },
  ]
}

function severityOf(rule: DocumentRuleId, { profile, duplicates }: DocumentPolicies): Issue['severity'] {
  if (rule !== 'identifier-taken') return documentRule(rule).severity[profile]
  return ({ allow: undefined, warn: 'warning', refuse: 'error' } as const)[duplicates]
}
