/** A topic that clients subscribe to: an allergy of high criticality was recorded, or one has become so. */
import { defineExtension } from 'sandbox-emr'

const severeAllergy = {
  resourceType: 'SubscriptionTopic',
  id: 'severe-allergy',
  url: 'https://acme.example/SubscriptionTopic/severe-allergy',
  version: '1.0.0',
  title: 'Severe allergy',
  status: 'active',
  description: 'An allergy of high criticality was recorded, or one has become so.',
  resourceTrigger: [
    {
      description: 'The criticality becomes high',
      resource: 'AllergyIntolerance',
      supportedInteraction: ['create', 'update'],
      queryCriteria: {
        previous: 'criticality:not=high',
        resultForCreate: 'test-passes',
        current: 'criticality=high',
        requireBoth: true,
      },
    },
  ],
  canFilterBy: [{ description: 'The patient', resource: 'AllergyIntolerance', filterParameter: 'patient' }],
  notificationShape: [{ resource: 'AllergyIntolerance', include: ['AllergyIntolerance:patient'] }],
}

export const extension = defineExtension({ name: 'severe-allergy', topics: [severeAllergy] })
