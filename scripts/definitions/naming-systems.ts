/**
 * The URIs and OIDs of the code systems and value sets of the R4 packages, and of the external code systems that R4 names:
 * https://hl7.org/fhir/R4/terminologies-systems.html. $preferred-id answers from them.
 */
import { isOid } from '../../src/fhir/oid.ts'
import { packagedCodeSystems, packagedValueSets } from './published.ts'

/** By URI; those that R4 gives an OID. */
const EXTERNAL: Readonly<Record<string, string>> = {
  'http://snomed.info/sct': '2.16.840.1.113883.6.96',
  'http://www.nlm.nih.gov/research/umls/rxnorm': '2.16.840.1.113883.6.88',
  'http://loinc.org': '2.16.840.1.113883.6.1',
  'http://unitsofmeasure.org': '2.16.840.1.113883.6.8',
  'http://ncimeta.nci.nih.gov': '2.16.840.1.113883.3.26.1.2',
  'http://www.ama-assn.org/go/cpt': '2.16.840.1.113883.6.12',
  'http://hl7.org/fhir/ndfrt': '2.16.840.1.113883.6.209',
  'http://fdasis.nlm.nih.gov': '2.16.840.1.113883.4.9',
  'http://hl7.org/fhir/sid/ndc': '2.16.840.1.113883.6.69',
  'http://hl7.org/fhir/sid/cvx': '2.16.840.1.113883.12.292',
  'urn:iso:std:iso:3166': '1.0.3166.1.2.2',
  'http://www.nubc.org/patient-discharge': '2.16.840.1.113883.6.301.5',
  'http://www.radlex.org': '2.16.840.1.113883.6.256',
  'http://hl7.org/fhir/sid/icd-10': '2.16.840.1.113883.6.3',
  'http://hl7.org/fhir/sid/icd-10-nl': '2.16.840.1.113883.6.3.2',
  'http://www.icd10data.com/icd10pcs': '2.16.840.1.113883.6.4',
  'http://hl7.org/fhir/sid/icd-9-cm': '2.16.840.1.113883.6.42',
  'http://hl7.org/fhir/sid/icpc-1-nl': '2.16.840.1.113883.2.4.4.31.1',
  'http://hl7.org/fhir/sid/icpc-2': '2.16.840.1.113883.6.139',
  'http://hl7.org/fhir/sid/icf-nl': '2.16.840.1.113883.6.254',
  'http://www.whocc.no/atc': '2.16.840.1.113883.6.73',
  'urn:iso:std:iso:11073:10101': '2.16.840.1.113883.6.24',
  'http://dicom.nema.org/resources/ontology/DCM': '1.2.840.10008.2.16.4',
  'http://www.genenames.org': '2.16.840.1.113883.6.281',
  'http://www.ncbi.nlm.nih.gov/nuccore': '2.16.840.1.113883.6.280',
  'http://varnomen.hgvs.org/': '2.16.840.1.113883.6.282',
  'http://www.ncbi.nlm.nih.gov/projects/SNP': '2.16.840.1.113883.6.284',
  'http://cancer.sanger.ac.uk/cancergenome/projects/cosmic': '2.16.840.1.113883.3.912',
  'http://www.lrg-sequence.org': '2.16.840.1.113883.6.283',
  'http://www.omim.org': '2.16.840.1.113883.6.174',
  'http://www.ncbi.nlm.nih.gov/pubmed': '2.16.840.1.113883.13.191',
  'http://www.pharmgkb.org': '2.16.840.1.113883.3.913',
  'http://clinicaltrials.gov': '2.16.840.1.113883.3.1077',
}

/** Some value sets of all codes of an external code system have its OID, which identifies the code system. */
const EXTERNAL_OIDS: ReadonlySet<string> = new Set(Object.values(EXTERNAL))

/** URI -> OIDs, sorted. */
export function namingSystems(): Readonly<Record<string, readonly string[]>> {
  const oids = new Map<string, Set<string>>(Object.entries(EXTERNAL).map(([uri, oid]) => [uri, new Set([oid])]))
  for (const { url = '', identifier } of [...packagedCodeSystems(), ...packagedValueSets()]) {
    const own = oidsIn(identifier).filter((oid) => !EXTERNAL_OIDS.has(oid))
    for (const oid of own) oids.set(url, (oids.get(url) ?? new Set()).add(oid))
  }
  const sorted = [...oids].sort(([left], [right]) => (left < right ? -1 : 1))
  return Object.fromEntries(sorted.map(([uri, all]) => [uri, [...all].sort()]))
}

/** The packages were written by hand, and some have invisible characters in their OIDs. */
function oidsIn(identifiers: unknown): readonly string[] {
  const list: readonly { readonly value?: string }[] = Array.isArray(identifiers) ? identifiers : [identifiers ?? {}]
  return list.flatMap(({ value = '' }) => {
    const oid = value.replace(/^urn:oid:|[^\d.]/g, '')
    return value.startsWith('urn:oid:') && isOid(oid) ? [oid] : []
  })
}
