"""Learning a site: evidence that recurs, fitting, the model store, pages that wait."""
