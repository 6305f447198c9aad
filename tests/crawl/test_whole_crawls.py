def test_articles_are_stored_and_summed_up(site, crawl):
    urls = [site.article(f"/a{i}") for i in range(5)]
    done = crawl(urls=" ".join(urls))
    print(done.log[-3000:], done.out)
    assert done.code == 0
    assert {a["url"] for a in done.articles()} == set(urls)
    assert "5 new" in done.out
