/** A search parameter: GET /Patient?nickname=Bo finds patients by their nickname. */
import { defineExtension } from 'sandbox-emr'

export const extension = defineExtension({
  name: 'patient-nickname',
  searchParameters: [
    {
      resourceType: 'SearchParameter',
      id: 'example-patient-nickname',
      url: 'https://example.org/fhir/SearchParameter/example-patient-nickname',
      name: 'nickname',
      description: 'What a patient is called.',
      status: 'active',
      code: 'nickname',
      base: ['Patient'],
      type: 'string',
      expression: "Patient.name.where(use = 'nickname').given",
    },
  ],
})
