/** A profile: a Patient that says it is reachable has a phone number or an address for mail. */
import { defineExtension } from 'sandbox-emr'

export const extension = defineExtension({
  name: 'reachable-patient',
  profiles: [
    {
      resourceType: 'StructureDefinition',
      id: 'example-reachable-patient',
      url: 'https://example.org/fhir/StructureDefinition/example-reachable-patient',
      name: 'ReachablePatient',
      status: 'active',
      fhirVersion: '4.0.1',
      kind: 'resource',
      abstract: false,
      type: 'Patient',
      baseDefinition: 'http://hl7.org/fhir/StructureDefinition/Patient',
      derivation: 'constraint',
      differential: {
        element: [
          { id: 'Patient', path: 'Patient' },
          { id: 'Patient.telecom', path: 'Patient.telecom', min: 1 },
        ],
      },
    },
  ],
})
